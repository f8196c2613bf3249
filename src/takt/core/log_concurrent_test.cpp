// SPDX-License-Identifier: Apache-2.0
#include "takt/core/log.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

namespace takt::log {
namespace {

struct Lines {
  std::map<std::string, int> seen;  // guarded by the log: a sink is called by one thread at a time
  static void take(Level, std::string_view line, void* user) {
    ++static_cast<Lines*>(user)->seen[std::string(line)];
  }
};

TEST(LogConcurrent, WritesEveryLineOfSeveralThreadsOnce) {
  Lines lines;
  set_level(Level::info);
  set_sink(&Lines::take, &lines);
  constexpr int each = 150;
  std::vector<std::thread> writers;
  writers.reserve(4);
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([t] {
      for (int i = 0; i < each; ++i) write(Level::info, "test", "{} says {}", std::to_string(t), i);
    });
  }
  for (auto& w : writers) w.join();
  set_sink(nullptr, nullptr);
  EXPECT_EQ(lines.seen.size(), 4U * each);
  for (const auto& [line, times] : lines.seen) EXPECT_EQ(times, 1) << line;
}

TEST(LogConcurrent, CountsEachSuppressedCallOnce) {
  Every every(std::chrono::seconds{1});
  std::atomic<int> due{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) due += every.due(SteadyTime{std::chrono::milliseconds{i}}) ? 1 : 0;
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(due.load(), 1);
  EXPECT_EQ(every.total_suppressed(), 3999U);
}

}  // namespace
}  // namespace takt::log

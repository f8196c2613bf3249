// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "takt/timing/monitor.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;

TEST(RecorderConcurrent, ManyRecordersOfOneSectionWhileItIsJudged) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kEach = 5'000;
  House house;
  Monitor monitor({.house = &house, .ring_records = 64});
  SectionOptions options;
  options.name = "reentrant";
  options.deadline = 0ms;  // every one misses
  auto& section = monitor.add(options);
  ChainOptions whole;
  whole.name = "chain";
  whole.from = whole.to = "reentrant";
  whole.deadline = 1h;
  auto& chain = monitor.add_chain(whole);
  std::atomic<std::uint64_t> seen{0};
  auto watch = monitor.observe([&](const ActivationRecord&) { seen.fetch_add(1); });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      Recorder recorder(monitor);
      for (std::uint64_t i = 0; i < kEach; ++i) {
        if (i % 16 == 0) recorder.before_wait();
        auto activation = recorder.begin(section);
        recorder.end(activation);
      }
    });
  }
  std::uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    const auto v = monitor.verdict(section);
    EXPECT_GE(v.activations, last);
    EXPECT_EQ(v.response.count + v.not_recorded, v.judged);
    last = v.activations;
  }
  for (auto& thread : threads) thread.join();
  const auto v = monitor.verdict(section);
  EXPECT_EQ(section.activations(), kThreads * kEach);
  EXPECT_EQ(v.activations, kThreads * kEach);
  EXPECT_EQ(v.misses, section.misses());
  EXPECT_EQ(v.response.count + v.not_recorded, kThreads * kEach);
  EXPECT_EQ(monitor.verdict(chain).activations, kThreads * kEach);
  EXPECT_EQ(seen.load() + v.not_recorded, kThreads * kEach);
}

TEST(RecorderConcurrent, ResetAndNewSectionsMeanwhile) {
  House house;
  Monitor monitor({.house = &house, .ring_records = 64});
  SectionOptions options;
  options.name = "work";
  options.deadline = 1h;
  auto& section = monitor.add(options);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!stop.load()) {
        Recorder recorder(monitor);
        for (int i = 0; i < 100; ++i) {
          auto activation = recorder.begin(section);
          recorder.end(activation);
        }
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    options.name = "more" + std::to_string(i);
    monitor.add(options);
    monitor.reset();
    for (const auto& v : monitor.verdicts()) EXPECT_EQ(v.misses, 0U);
  }
  stop.store(true);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(monitor.verdicts().size(), 11U);
}

}  // namespace
}  // namespace takt::timing

// SPDX-License-Identifier: Apache-2.0
#include "takt/core/house.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "takt/core/log.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/core/testing/no_allocation.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

template <class Condition>
bool soon(const Condition& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

TEST(HouseConcurrent, RunsATaskWhenItIsAddedAndAgainWhenStirred) {
  House house;
  std::atomic<int> runs{0};
  const auto task = house.add([&] {
    ++runs;
    return false;
  });
  EXPECT_TRUE(soon([&] { return runs.load() >= 1; }));
  for (int i = 0; i < 3; ++i) {
    const int before = runs.load();
    house.stir();
    EXPECT_TRUE(soon([&] { return runs.load() > before; }));
  }
}

TEST(HouseConcurrent, RunsRoundsWhileThereIsWorkAndThenNoneAtAll) {
  House house;
  std::atomic<int> left{3};
  const auto task = house.add([&] { return left.fetch_sub(1) > 0; });
  EXPECT_TRUE(soon([&] { return left.load() < 0; }));  // without being stirred
  std::uint64_t before = 0;
  for (int i = 0; i < 20 && house.rounds() != before; ++i) {  // a busy machine may need some time to settle
    before = house.rounds();
    std::this_thread::sleep_for(4 * House::kRound);
  }
  EXPECT_EQ(house.rounds(), before);
}

TEST(HouseConcurrent, IsNotDrivenToMoreRoundsByManyStirs) {
  House house;
  const auto task = house.add([] { return true; });
  EXPECT_TRUE(soon([&] { return house.rounds() > 0; }));
  const auto before = house.rounds();
  const auto start = SteadyClock::instance()->steady_now();
  for (int i = 0; i < 150; ++i) {
    house.stir();
    std::this_thread::sleep_for(1ms);
  }
  const auto passed = SteadyClock::instance()->steady_now() - start;
  EXPECT_LE(static_cast<std::int64_t>(house.rounds() - before), passed / House::kRound + 1);
}

TEST(HouseConcurrent, CutsARoundShortWhenHurried) {
  House house;
  std::atomic<int> runs{0};
  const auto task = house.add([&] {
    ++runs;
    return true;
  });
  // The shortest of fifty, so that a busy machine does not matter: unhurried, none takes less than a round.
  Duration shortest = 1h;
  auto& clock = *SteadyClock::instance();
  for (int i = 0; i < 50; ++i) {
    const int before = runs.load();
    const auto start = clock.steady_now();
    house.hurry();
    while (runs.load() == before) std::this_thread::sleep_for(100us);
    shortest = std::min(shortest, clock.steady_now() - start);
  }
  EXPECT_LT(shortest, House::kRound / 2);
}

TEST(HouseConcurrent, LosesNoStir) {
  House house;
  std::atomic<int> stirred{0};
  std::atomic<int> seen{0};
  const auto task = house.add([&] {
    const bool news = seen.exchange(stirred.load()) != stirred.load();
    return news;
  });
  for (int i = 0; i < 20; ++i) {
    ++stirred;
    house.stir();
    if (i % 4 == 0) std::this_thread::sleep_for(2ms);
  }
  EXPECT_TRUE(soon([&] { return seen.load() == stirred.load(); }));
}

TEST(HouseConcurrent, RunsTasksInTheOrderOfTheirAddition) {
  House house;
  std::atomic<bool> recording{false};
  std::string order;  // written under run_now() only
  const auto runner = std::this_thread::get_id();
  const auto note = [&](char c) {
    return [&, c] {
      if (recording && std::this_thread::get_id() == runner) order += c;
      return false;
    };
  };
  const auto a = house.add(note('a'));
  const auto b = house.add(note('b'));
  recording = true;
  house.run_now();
  house.run_now();
  EXPECT_EQ(order, "abab");
}

TEST(HouseConcurrent, RunsNothingOfATaskAfterItsRegistrationIsGone) {
  for (int i = 0; i < 50; ++i) {
    House house;
    auto alive = std::make_unique<int>(1);
    auto task = house.add([&] {
      *alive += 1;  // a use after free under a sanitizer if it ran too late
      return true;
    });
    house.hurry();
    if (i % 2 == 0) std::this_thread::sleep_for(200us);
    task.reset();
    alive.reset();
  }
}

TEST(HouseConcurrent, ReleasesWhatATaskHoldsWithItsRegistration) {
  House house;
  const auto held = std::make_shared<int>(1);
  auto task = house.add([held] { return *held > 1; });
  task.reset();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(HouseConcurrent, LetsATaskRemoveItselfAndAnother) {
  House house;
  std::unique_ptr<House::Registration> own;
  std::unique_ptr<House::Registration> other;
  std::atomic<int> own_runs{0};
  std::atomic<int> other_runs{0};
  std::atomic<bool> ready{false};
  const auto held = std::make_shared<int>(1);
  other = house.add([&] {
    ++other_runs;
    return false;
  });
  own = house.add([&, held] {
    if (!ready) return true;
    ++own_runs;
    other.reset();
    own.reset();
    return true;
  });
  ready = true;
  house.hurry();
  EXPECT_TRUE(soon([&] { return own_runs.load() == 1; }));
  EXPECT_TRUE(soon([&] { return held.use_count() == 1; }));
  const int others = other_runs.load();
  house.run_now();
  EXPECT_EQ(own_runs.load(), 1);
  EXPECT_EQ(other_runs.load(), others);
}

TEST(HouseConcurrent, LetsATaskAddAnother) {
  House house;
  std::unique_ptr<House::Registration> second;
  std::atomic<int> runs{0};
  const auto first = house.add([&] {
    if (!second) {
      second = house.add([&] {
        ++runs;
        return false;
      });
    }
    return false;
  });
  EXPECT_TRUE(soon([&] { return runs.load() >= 1; }));
}

struct Lines {
  std::string text;
  static void take(log::Level, std::string_view line, void* user) {
    auto& text = static_cast<Lines*>(user)->text;
    text += line;
    text += '\n';
  }
};

TEST(HouseConcurrent, LogsAndKeepsATaskThatThrows) {
  Lines lines;
  log::set_sink(&Lines::take, &lines);
  {
    House house;
    std::atomic<int> runs{0};
    const auto task = house.add([&]() -> bool {
      ++runs;
      throw std::runtime_error("no luck today");
    });
    EXPECT_TRUE(soon([&] { return runs.load() >= 1; }));
    house.run_now();
    house.run_now();
    EXPECT_GE(runs.load(), 3);
  }
  log::set_sink(nullptr, nullptr);
  EXPECT_NE(lines.text.find("[error] [house] a task threw: no luck today"), std::string::npos) << lines.text;
}

TEST(HouseConcurrent, MayDieBeforeItsRegistrations) {
  std::unique_ptr<House::Registration> task;
  {
    House house;
    task = house.add([] { return true; });
  }
  task.reset();
}

TEST(HouseConcurrent, IsStirredWithoutTheHeap) {
  House house;
  std::this_thread::sleep_for(10ms);
  const testing::NoAllocation guard;
  house.stir();
  house.hurry();
}

TEST(HouseConcurrent, OfTheProcessIsOne) { EXPECT_EQ(&House::of_process(), &House::of_process()); }

#if !defined(TAKT_TSAN)  // a fork of a process with threads
#if !defined(TAKT_ASAN)  // whose leak check at exit() waits for a lock of the allocator that the house's
                         // thread may have held at the fork, and takes what only that thread knew for lost
TEST(HouseDeathTest, DoesNotKeepAForkedChildFromEnding) {
  House::of_process();
  EXPECT_EXIT(std::exit(7), ::testing::ExitedWithCode(7), "");  // NOLINT(concurrency-mt-unsafe): how it ends
}
#endif

TEST(HouseDeathTest, EndsWithTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  EXPECT_EXIT(
      {
        static const auto task = House::of_process().add([] { return true; });
        std::exit(7);  // NOLINT(concurrency-mt-unsafe): how programs end
      },
      ::testing::ExitedWithCode(7), "");
}
#endif

}  // namespace
}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
// The real thing: a thread that sleeps, is busy, is blocked or preempted, and what is said about it. Runs
// alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <thread>

#include "takt/core/steady_clock.hpp"
#include "takt/timing/monitor.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;

/// A 10 ms timer in a bare thread, with skips, `n` activations.
class CausesTimingTest : public ::testing::Test {
 protected:
  template <class Body>
  void run(int n, Body&& body) {
    Recorder recorder(monitor_);
    auto slot = clock_.steady_now() + kPeriod;
    for (int i = 1; i <= n; ++i) {
      if (clock_.steady_now() < slot) {
        recorder.before_wait();
        clock_.sleep_until(slot);
        recorder.after_wait(clock_.steady_now());
      }
      const auto step = grid::take(ClockTime{slot.time_since_epoch()}, kPeriod, OverrunPolicy::skip,
                                   ClockTime{clock_.steady_now().time_since_epoch()});
      auto activation = recorder.begin(
          section_, {.release = step.release, .skipped = static_cast<std::uint32_t>(step.skipped)});
      body(i);
      recorder.end(activation);
      slot = SteadyTime{step.next.time_since_epoch()};
    }
  }

  void busy(Duration d) {
    const auto end = clock_.steady_now() + d;
    while (clock_.steady_now() < end) {
    }
  }

  /// In a thread with a real-time policy where that is granted: else other load may be the larger cause.
  template <class Body>
  void run_alone(int n, Body&& body) {
    std::thread([&] {
      if (alone_) apply_to_this_thread({.name = "alone", .scheduling = Fifo{50}});
      run(n, body);
    }).join();
  }

  void expect_cause(const Verdict& v, std::uint64_t index, Cause cause) {
    const auto* miss = miss_of(v, index);
    ASSERT_NE(miss, nullptr) << to_text({v});
#if !defined(TAKT_ASAN)  // which makes a new thread pay for 800 pages
    if (alone_) {
      EXPECT_EQ(miss->cause, cause) << miss->detail;
    }
#endif
    EXPECT_THAT(miss->detail, ::testing::HasSubstr(cause == Cause::blocked_by ? "blocked by" : words(cause)));
  }

  const Miss* miss_of(const Verdict& v, std::uint64_t index) {
    for (const auto& m : v.last_misses) {
      if (m.index == index) return &m;
    }
    return nullptr;
  }

  static SectionOptions timer() {
    SectionOptions options;
    options.name = "timer";
    options.node = "control";
    options.kind = SectionKind::timer;
    options.period = kPeriod;
    return options;
  }

  static constexpr Duration kPeriod = 10ms;
  const bool alone_ = real_time_permission(50).granted;
  SteadyClock& clock_ = *SteadyClock::instance();
  Monitor monitor_;
  Section& section_ = monitor_.add(timer());
};

TEST_F(CausesTimingTest, ASleepInsideIsOwnTimeOffTheCpu) {
  run_alone(20, [&](int i) {
    if (i == 10) clock_.sleep_for(22ms);
  });
  const auto v = monitor_.verdict(section_);
  expect_cause(v, 10, Cause::own_off_cpu);
  EXPECT_THAT(v.last_misses.front().detail, ::testing::HasSubstr("since the last snapshot"));
  EXPECT_GE(v.skips, 1U);
}

TEST_F(CausesTimingTest, ABusyLoopIsOwnTimeOnTheCpu) {
  run_alone(20, [&](int i) {
    if (i == 10) busy(22ms);
  });
  expect_cause(monitor_.verdict(section_), 10, Cause::own_cpu);
}

TEST_F(CausesTimingTest, AnActivationIsBlockedByItsOwnBefore) {
  run_alone(20, [&](int i) {
    if (i == 10) clock_.sleep_for(29ms);
    if (i == 11) busy(2ms);
  });
  const auto v = monitor_.verdict(section_);
  expect_cause(v, 11, Cause::blocked_by);
  EXPECT_THAT(miss_of(v, 11)->detail,
              ::testing::HasSubstr("blocked by control/timer 10 (its own activation before) for"));
}

TEST_F(CausesTimingTest, AHogOfAHigherPriorityPreempts) {
  if (!alone_) GTEST_SKIP() << real_time_permission(50).fix;
  std::atomic<bool> go{false};
  std::thread hog([&] {
    apply_to_this_thread({.name = "hog", .scheduling = Fifo{60}, .cpus = {0}});
    while (!go.load()) clock_.sleep_for(1ms);
    busy(25ms);
  });
  std::thread worker([&] {
    apply_to_this_thread({.name = "worker", .scheduling = Fifo{50}, .cpus = {0}});
    run(12, [&](int i) {
      if (i != 10) return;
      go.store(true);
      busy(15ms);
    });
  });
  worker.join();
  hog.join();
  const auto v = monitor_.verdict(section_);
  const auto* preempted = miss_of(v, 10);
  ASSERT_NE(preempted, nullptr);
  EXPECT_EQ(preempted->cause, Cause::preempted) << preempted->detail;
}

// rpi4-image#28, for real: takes a second, and RT throttling must be on and not replaced by a fair server.
TEST_F(CausesTimingTest, RtThrottlingOfABusyLoopIsNamed) {
  if (std::getenv("TAKT_TEST_LONG") == nullptr) {  // NOLINT(concurrency-mt-unsafe)
    GTEST_SKIP() << "TAKT_TEST_LONG is not set";
  }
  if (!alone_) GTEST_SKIP() << real_time_permission(50).fix;
  std::thread([&] {
    apply_to_this_thread({.name = "loop", .scheduling = Fifo{50}, .cpus = {0}});
    Recorder recorder(monitor_, {}, this_thread_state());
    const auto end = clock_.steady_now() + 2500ms;
    while (clock_.steady_now() < end) {
      auto activation = recorder.begin(section_);
      busy(5ms);
      recorder.end(activation);
    }
  }).join();
  const auto v = monitor_.verdict(section_);
  if (v.execution.max < 35ms)
    GTEST_SKIP() << "the kernel did not stop the loop: " << v.execution.max.count() << " ns";
  EXPECT_GE(v.causes[static_cast<std::size_t>(Cause::throttled)], 1U) << to_text({v});
  EXPECT_THAT(to_text({v}), ::testing::HasSubstr("RT throttling (sched_rt_runtime_us ="));
}

}  // namespace
}  // namespace takt::timing

// SPDX-License-Identifier: Apache-2.0
// The real thing: a thread that sleeps, is busy, is blocked or preempted, and what is said about it. Runs
// alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "takt/core/steady_clock.hpp"
#include "takt/timing/monitor.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;

/// A 10 ms timer in a bare thread, with skips, `n` activations.
class TimingOfCauses : public ::testing::Test {
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
  SteadyClock& clock_ = *SteadyClock::instance();
  Monitor monitor_;
  Section& section_ = monitor_.add(timer());
};

TEST_F(TimingOfCauses, ASleepInsideIsOwnTimeOffTheCpuAndBlocksTheNext) {
  run(20, [&](int i) {
    if (i == 10) clock_.sleep_for(22ms);
  });
  const auto v = monitor_.verdict(section_);
  const auto* slept = miss_of(v, 10);
  ASSERT_NE(slept, nullptr) << to_text({v});
  EXPECT_EQ(slept->cause, Cause::own_off_cpu) << slept->detail;
  EXPECT_THAT(slept->detail, ::testing::HasSubstr("since the last snapshot"));
  EXPECT_GE(v.skips, 1U);
}

// With a real-time policy where that is granted; else other load on the machine may preempt it, which is then
// said.
TEST_F(TimingOfCauses, ABusyLoopIsOwnTimeOnTheCpu) {
  const bool alone = real_time_permission(50).granted;
  std::thread([&] {
    if (alone) apply_to_this_thread({.name = "busy", .scheduling = Fifo{50}});
    run(20, [&](int i) {
      if (i == 10) busy(22ms);
    });
  }).join();
  const auto v = monitor_.verdict(section_);
  const auto* was_busy = miss_of(v, 10);
  ASSERT_NE(was_busy, nullptr);
  if (alone) {
    EXPECT_EQ(was_busy->cause, Cause::own_cpu) << was_busy->detail;
  } else {
    EXPECT_THAT(was_busy->detail, ::testing::HasSubstr("own time on the CPU"));
  }
}

TEST_F(TimingOfCauses, AnActivationIsBlockedByItsOwnBefore) {
  run(20, [&](int i) {
    if (i == 10) clock_.sleep_for(29ms);
    if (i == 11) busy(2ms);
  });
  const auto v = monitor_.verdict(section_);
  const auto* blocked = miss_of(v, 11);
  ASSERT_NE(blocked, nullptr) << to_text({v});
  EXPECT_EQ(blocked->cause, Cause::blocked_by) << blocked->detail;
  EXPECT_THAT(blocked->detail,
              ::testing::HasSubstr("blocked by control/timer 10 (its own activation before) for"));
}

TEST_F(TimingOfCauses, AHogOnTheSameCpuPreempts) {
  if (!real_time_permission(50).granted) GTEST_SKIP() << real_time_permission(50).fix;
  std::atomic<bool> go{false};
  std::thread hog([&] {
    apply_to_this_thread({.name = "hog", .scheduling = Fifo{50}, .cpus = {0}});
    while (!go.load()) clock_.sleep_for(1ms);
    busy(25ms);
  });
  std::thread worker([&] {
    apply_to_this_thread({.name = "worker", .cpus = {0}});
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

}  // namespace
}  // namespace takt::timing

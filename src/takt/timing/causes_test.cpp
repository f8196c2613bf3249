// SPDX-License-Identifier: Apache-2.0
// The pure classification: what share of a response each cause explains.
#include "takt/timing/causes.hpp"

#include <gtest/gtest.h>

#include "takt/timing/testing/loop.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t ms(double value) { return static_cast<std::int64_t>(value * 1e6); }

std::int64_t share(const Finding& f, Cause cause) { return f.shares[static_cast<std::size_t>(cause)]; }

/// Due at 10 ms; the worker slept from 1 ms and woke in time; ran from 10 to 32 ms, all of it on the CPU.
struct Busy {
  Evidence evidence;
  MissCase miss;
  Busy() {
    evidence.since_ns = ms(1);
    evidence.wake_ns = ms(10);
    evidence.cpu_ns = ms(22);
    evidence.delay_ns = 0;
    miss.due_ns = ms(10);
    miss.start_ns = ms(10);
    miss.finish_ns = ms(32);
    miss.evidence = &evidence;
  }
};

TEST(Causes, OnTheCpu) {
  Busy c;
  const auto f = classify(c.miss);
  EXPECT_EQ(f.cause, Cause::own_cpu);
  EXPECT_EQ(share(f, Cause::own_cpu), ms(22));
}

TEST(Causes, OffTheCpuWithAVoluntarySwitchIsItsOwn) {
  Busy c;
  c.evidence.cpu_ns = ms(1);
  c.evidence.voluntary = 1;
  const auto f = classify(c.miss);
  EXPECT_EQ(f.cause, Cause::own_off_cpu);
  EXPECT_EQ(share(f, Cause::own_off_cpu), ms(21));
}

TEST(Causes, OffTheCpuWithoutAnySwitchIsStolen) {
  Busy c;
  c.evidence.cpu_ns = ms(2);
  const auto f = classify(c.miss);
  EXPECT_EQ(f.cause, Cause::stolen);
  EXPECT_EQ(share(f, Cause::stolen), ms(20));
}

TEST(Causes, RunQueueDelayInsideWithInvoluntarySwitchesIsPreemption) {
  Busy c;
  c.evidence.cpu_ns = ms(7);
  c.evidence.delay_ns = ms(15);
  c.evidence.involuntary = 1;
  const auto f = classify(c.miss);
  EXPECT_EQ(f.cause, Cause::preempted);
  EXPECT_EQ(share(f, Cause::preempted), ms(15));
  EXPECT_EQ(share(f, Cause::own_cpu), ms(7));
}

TEST(Causes, RunQueueDelayBeforeTheStartIsQueueing) {
  Busy c;
  c.evidence.wake_ns = c.miss.start_ns = ms(22);
  c.evidence.cpu_ns = ms(10);
  c.evidence.delay_ns = ms(11.5);
  const auto f = classify(c.miss);
  EXPECT_EQ(f.cause, Cause::runqueue);
  EXPECT_EQ(share(f, Cause::runqueue), ms(11.5));
  EXPECT_EQ(share(f, Cause::interrupt), ms(0.5));
}

TEST(Causes, LateWakeUpThatNothingElseExplains) {
  Busy c;
  c.evidence.wake_ns = c.miss.start_ns = ms(25);
  c.evidence.cpu_ns = ms(7);
  EXPECT_EQ(classify(c.miss).cause, Cause::interrupt);
  c.miss.stolen_ns = ms(20);
  EXPECT_EQ(classify(c.miss).cause, Cause::stolen);
}

TEST(Causes, ThrottlingIsTakenFromTheRunQueueDelay) {
  Busy c;
  c.evidence.cpu_ns = ms(4);
  c.evidence.delay_ns = ms(18);
  c.evidence.involuntary = 1;
  c.miss.throttled_ns = ms(15);
  const auto f = classify(c.miss);
  EXPECT_EQ(f.cause, Cause::throttled);
  EXPECT_EQ(share(f, Cause::throttled), ms(15));
  EXPECT_EQ(share(f, Cause::preempted), ms(3));
  EXPECT_FALSE(f.rt_throttled);
}

// rpi4-image#28: a FIFO busy loop meets the 50 ms hole of RT throttling.
TEST(Causes, TheHoleOfRtThrottlingIsNamed) {
  Busy c;
  c.miss.finish_ns = ms(80);
  c.evidence.cpu_ns = ms(22);
  c.evidence.delay_ns = ms(48);
  c.evidence.involuntary = 1;
  EXPECT_EQ(classify(c.miss).cause, Cause::preempted) << "an ordinary thread";
  c.miss.real_time = true;
  EXPECT_EQ(classify(c.miss).cause, Cause::preempted) << "RT throttling is off";
  c.miss.rt_hole_ns = ms(50);
  c.evidence.busy_over_ns = ms(1000);
  c.evidence.busy_ns = ms(300);
  EXPECT_EQ(classify(c.miss).cause, Cause::preempted)
      << "its CPU was not kept busy: there was no reason to stop it";
  c.evidence.busy_ns = ms(950);
  const auto f = classify(c.miss);
  EXPECT_EQ(f.cause, Cause::throttled);
  EXPECT_TRUE(f.rt_throttled);
}

// A long time awake before the start, in which time may have been lost as well: only what cannot have been
// lost there is said.
TEST(Causes, WhatMayHaveBeenLostBeforeTheStartIsUnknown) {
  Busy c;
  c.evidence.wake_ns = ms(1);
  c.evidence.cpu_ns = ms(11);
  c.evidence.delay_ns = ms(20);
  c.evidence.involuntary = 2;
  auto f = classify(c.miss);
  EXPECT_EQ(share(f, Cause::preempted), ms(11)) << "20 ms were lost, at most 9 of them before";
  EXPECT_EQ(share(f, Cause::unknown), ms(9));
  c.miss.longest_before_ns = ms(1);
  f = classify(c.miss);
  EXPECT_EQ(share(f, Cause::preempted), ms(18)) << "two holes of at most 1 ms before";
  EXPECT_EQ(share(f, Cause::unknown), ms(2));
}

TEST(Causes, PageFaults) {
  Busy c;
  c.evidence.minor_faults = 10'000;
  c.miss.minor_fault_ns = 2'000;
  auto f = classify(c.miss);
  EXPECT_EQ(f.cause, Cause::page_fault);
  EXPECT_EQ(share(f, Cause::page_fault), ms(20));
  EXPECT_EQ(share(f, Cause::own_cpu), ms(2));
  Busy disk;
  disk.evidence.cpu_ns = ms(2);
  disk.evidence.major_faults = disk.evidence.voluntary = 3;
  EXPECT_EQ(classify(disk.miss).cause, Cause::page_fault);
}

TEST(Causes, AmongEqualSharesThePrecedenceDecides) {
  Shares shares{};
  for (auto cause : {Cause::own_cpu, Cause::blocked_by, Cause::runqueue, Cause::unknown}) {
    shares[static_cast<std::size_t>(cause)] = 5;
  }
  EXPECT_EQ(largest(shares), Cause::blocked_by);
  shares[static_cast<std::size_t>(Cause::throttled)] = 5;
  EXPECT_EQ(largest(shares), Cause::throttled);
  shares[static_cast<std::size_t>(Cause::unknown)] = 6;
  EXPECT_EQ(largest(shares), Cause::unknown);
}

TEST(Causes, WithoutEvidenceOnlyWhatTheRecordsSay) {
  Busy c;
  c.miss.evidence = nullptr;
  EXPECT_EQ(classify(c.miss).cause, Cause::unknown);
  EXPECT_EQ(share(classify(c.miss), Cause::unknown), ms(22));
}

// 22 ms in a 10 ms timer: the next one is blocked, and by whom is said.
TEST(Causes, TheNextActivationIsBlockedByTheLongOne) {
  testing::Loop loop;
  auto& section = loop.timer("timer", 10ms);
  auto long_one =
      loop.recorder.begin(section, {.release = ClockTime{loop.clock->steady_now().time_since_epoch()}});
  const auto release = long_one.release;
  loop.clock->advance(22ms);
  loop.recorder.end(long_one);
  auto next = loop.recorder.begin(section, {.release = release + 10ms, .skipped = 1});
  loop.clock->advance(1ms);
  loop.recorder.end(next);
  const auto v = loop.monitor.verdict(section);
  ASSERT_EQ(v.last_misses.size(), 2U);
  EXPECT_EQ(v.last_misses[0].cause, Cause::unknown) << "a virtual clock has no system counters";
  EXPECT_EQ(v.last_misses[1].cause, Cause::blocked_by);
  EXPECT_EQ(v.last_misses[1].detail,
            "blocked by timer 1 (its own activation before) for 12 ms, unknown 1 ms");
}

TEST(Causes, AnActivationOfItsGroupOnAnotherWorkerBlocks) {
  testing::Loop loop;
  SectionOptions options;
  options.group = 7;
  options.deadline = 5ms;
  options.name = "slow";
  auto& slow = loop.monitor.add(options);
  options.name = "quick";
  auto& quick = loop.monitor.add(options);
  Recorder other(loop.monitor);
  const ClockTime release{loop.clock->steady_now().time_since_epoch()};
  auto first = other.begin(slow);
  loop.clock->advance(9ms);
  other.end(first);
  auto second = loop.recorder.begin(quick, {.release = release});
  loop.recorder.end(second);
  const auto v = loop.monitor.verdict(quick);
  ASSERT_EQ(v.last_misses.size(), 1U);
  EXPECT_EQ(v.last_misses[0].detail, "blocked by slow 1 for 9 ms");
}

TEST(Causes, AMessageThatArrivedLate) {
  testing::Loop loop;
  SectionOptions options;
  options.kind = SectionKind::subscription;
  options.deadline = 5ms;
  options.name = "listener";
  auto& listener = loop.monitor.add(options);
  const ClockTime published{loop.clock->steady_now().time_since_epoch()};
  loop.clock->advance(7ms);
  auto activation =
      loop.recorder.begin(listener, {.release = published, .arrival = loop.clock->steady_now()});
  loop.clock->advance(1ms);
  loop.recorder.end(activation);
  const auto v = loop.monitor.verdict(listener);
  ASSERT_EQ(v.last_misses.size(), 1U);
  EXPECT_EQ(v.last_misses[0].cause, Cause::late_trigger);
}

}  // namespace
}  // namespace takt::timing

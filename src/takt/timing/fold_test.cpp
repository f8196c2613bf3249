// SPDX-License-Identifier: Apache-2.0
// Where records go: rings that fill up, threads that end, order between workers, observers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "takt/timing/monitor_state.hpp"
#include "takt/timing/testing/loop.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;
using testing::Loop;

TEST(Fold, AFullRingIsFoldedInlineAndNothingIsLost) {
  Loop loop(8);
  auto& section = loop.timer("step", 10ms);
  for (int i = 0; i < 1000; ++i) loop.run(section, 0ms, i % 10 == 9 ? 11ms : 1ms);
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(v.activations, 1000U);
  EXPECT_EQ(v.misses, 100U);
  EXPECT_EQ(v.response.count + v.not_recorded, 1000U) << "the house may have held the fold now and then";
  EXPECT_EQ(section.activations(), 1000U);
}

TEST(Fold, WithoutRoomRecordsAreCountedAndTheIndexStaysRight) {
  VirtualClock clock;
  WorkerLog log(clock, nullptr, nullptr, {.records = 4, .counters = false});
  SectionOptions options;
  options.name = "step";
  options.deadline = 10ms;
  Section section(1, options);
  const auto run = [&](Duration busy) {
    auto activation =
        log.enter(section, {.release = ClockTime{clock.steady_now().time_since_epoch()}, .skipped = 1});
    clock.advance(busy);
    log.leave(activation);
  };
  for (int i = 0; i < 4; ++i) run(1ms);
  run(11ms);
  run(1ms);
  EXPECT_EQ(section.activations(), 6U);
  EXPECT_EQ(section.misses(), 1U);
  EXPECT_EQ(section.not_recorded().activations, 2U);
  EXPECT_EQ(section.not_recorded().misses, 1U);
  EXPECT_EQ(section.not_recorded().skips, 2U);
  SectionFold fold(section, 4);
  ActivationRecord record;
  while (log.records.try_pop(record)) fold.add(record, fold.index_of(record), 0);
  run(1ms);
  ASSERT_TRUE(log.records.try_pop(record));
  EXPECT_EQ(fold.index_of(record), 7U);
  EXPECT_EQ(fold.interval_before(record, 7), std::nullopt) << "two are missing in between";
}

TEST(Fold, RecordsOfAThreadThatHasEndedAreFolded) {
  Loop loop;
  auto& section = loop.section("work", 10ms);
  std::thread([&] {
    Recorder recorder(loop.monitor);
    auto activation = recorder.begin(section);
    recorder.end(activation);
  }).join();
  EXPECT_EQ(loop.monitor.verdict(section).activations, 1U);
}

TEST(Fold, ObserversSeeRecordsInOrderOfStart) {
  Loop loop;
  auto& outer = loop.section("outer", kNoDeadline);
  auto& inner = loop.section("inner", kNoDeadline);
  std::vector<std::int64_t> starts;
  auto watch = loop.monitor.observe([&](const ActivationRecord& r) { starts.push_back(r.start_ns); });
  Recorder other(loop.monitor);
  auto o = loop.recorder.begin(outer);
  loop.clock->advance(1ms);
  {
    auto i = other.begin(inner);  // starts later, ends sooner
    loop.clock->advance(1ms);
    other.end(i);
  }
  loop.monitor.fold();
  EXPECT_TRUE(starts.empty()) << "one that started before is still running";
  loop.recorder.end(o);
  loop.monitor.fold();
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_LT(starts[0], starts[1]);
  watch = nullptr;
  auto last = loop.recorder.begin(inner);
  loop.recorder.end(last);
  loop.monitor.fold();
  EXPECT_EQ(starts.size(), 2U);
}

TEST(Fold, DistinctSchedulingOfSeveralWorkersIsListed) {
  Loop loop;
  auto& section = loop.section("shared", 10ms);
  const auto worker = [&](Scheduling granted, const std::vector<std::string>& refused) {
    Recorder recorder(loop.monitor, {.scheduling = Fifo{80}},
                      {.scheduling = granted, .cpus = {1}, .refused = refused}, "pool");
    auto activation = recorder.begin(section);
    recorder.end(activation);
    loop.clock->advance(1ms);
  };
  worker(Fifo{80}, {});
  worker(Fifo{80}, {});
  worker(Other{}, {"FIFO 80: no permission"});
  const auto v = loop.monitor.verdict(section);
  EXPECT_EQ(to_string(v.granted.scheduling), "FIFO 80");
  ASSERT_EQ(v.also_granted.size(), 1U);
  EXPECT_THAT(to_text({v}), ::testing::HasSubstr("asked FIFO 80; refused: FIFO"));
}

}  // namespace
}  // namespace takt::timing

// SPDX-License-Identifier: Apache-2.0
#include "lab/priority/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "lab/common/interrupt.hpp"
#include "lab/common/keep_awake.hpp"
#include "lab/common/threads.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::priority {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortestMeasurement = 100ms;  // the kernel counts busy time in steps of 10 ms
constexpr const char* kNothingMeasured = "it was ended before anything was measured";

/// Waits, measures and ends the run, in an ordinary thread beside the executors.
class Conductor {
 public:
  Conductor(RunResult& result, Context& context, TwoExecutors& executors, Console& console)
      : result_(result), context_(context), executors_(executors), console_(console) {
    result_.records.reserve(static_cast<std::size_t>(to_seconds(result.plan.length) * 600) + 1000);
  }

  void conduct() {
    wait("warm-up", kWarmUp);
    auto& monitor = context_.monitor();
    monitor.reset();
    if (Interrupt::requested()) return end_unmeasured();
    const auto begin = clock_.steady_now();
    auto watch = monitor.observe([this, begin](const timing::ActivationRecord& record) {
      if (record.start_ns >= begin.time_since_epoch().count()) result_.records.push_back(record);
    });
    const EnvironmentProbe probe;
    wait(name_of(result_.plan), result_.plan.length);
    result_.environment = probe.finish();
    executors_.cancel();
    result_.measured = clock_.steady_now() - begin;
    result_.interrupted = Interrupt::requested();
    monitor.fold();
    watch.reset();
    console_.progress_done();
  }

  /// The executors have ended by themselves: wait no longer.
  void abandon() noexcept { abandoned_ = true; }

 private:
  void end_unmeasured() {
    executors_.cancel();
    result_.environment = read_environment();
    result_.interrupted = true;
    console_.progress_done();
  }

  void wait(const std::string& label, Duration length) {
    const auto begin = clock_.steady_now();
    const auto end = begin + length;
    for (auto now = begin; now < end && !abandoned_ && !Interrupt::requested(); now = clock_.steady_now()) {
      console_.progress(label, now - begin, length);
      Interrupt::wait_until(std::min(end, now + 200ms));
    }
  }

  MonotonicClock& clock_ = *SteadyClock::instance();
  RunResult& result_;
  Context& context_;
  TwoExecutors& executors_;
  Console& console_;
  std::atomic<bool> abandoned_{false};
};

/// Who had the CPUs since it was made.
class CpuBalance {
 public:
  /// The share of all CPU time that neither this process nor the load had.
  double others_pct(Duration load) const {
    const auto all =
        (SteadyClock::instance()->steady_now() - begin_) * static_cast<std::int64_t>(ticks_.size());
    const auto others = busy_time(ticks_, read_cpu_ticks()) - (own_cpu_time() - own_) - load;
    return std::clamp(100 * to_seconds(others) / to_seconds(all), 0.0, 100.0);
  }

 private:
  SteadyTime begin_ = SteadyClock::instance()->steady_now();
  CpuReading ticks_ = read_cpu_ticks();
  Duration own_ = own_cpu_time();
};

void spin(TwoExecutors& executors, Conductor& conductor) {
  SideThread thread(
      "the one that measures", [&] { conductor.conduct(); }, [&] { executors.cancel(); });
  try {
    executors.spin();
  } catch (...) {
    conductor.abandon();
    throw;
  }
  thread.join();
}

Samples& samples_of(RunResult& result, std::string_view name) {
  return result.samples.try_emplace(std::string(name)).first->second;
}

}  // namespace

std::string scheduling_text(const RunPlan& plan) {
  return plan.real_time ? fmt::format("FIFO {}", plan.priority) : "default priority";
}

std::string name_of(const RunPlan& plan) {
  return fmt::format("design {}, {}", plan.design->number, scheduling_text(plan));
}

std::string file_stem(const RunPlan& plan) {
  return fmt::format("design{}-{}", plan.design->number, plan.real_time ? "rt" : "normal");
}

RunResult run(const RunPlan& plan, Console& console) {
  RunResult result{.plan = plan};
  std::optional<KeepAwake> keep_awake;
  if (plan.keep_awake) keep_awake.emplace();
  const CpuBalance balance;
  Load load(plan.load, plan.length + 60s);

  InitOptions init;
  init.handle_signals = false;  // Interrupt does: a run that is ended early is still written
  init.verdict = timing::VerdictFormat::off;
  const auto context = Context::make(init);
  const Scheduling scheduling = plan.real_time ? Scheduling{Fifo{plan.priority}} : Scheduling{};
  TwoExecutors executors(context, scheduling, plan.design->critical_threads);
  const auto nodes = plan.design->make({context, Work(plan.work)}, executors);

  Conductor conductor(result, *context, executors, console);
  spin(executors, conductor);

  CpuUsage usage;
  for (std::size_t cpu = 0; cpu < result.environment.load.busy_pct.size(); ++cpu) {
    usage.cores.push_back({static_cast<int>(cpu), result.environment.load.busy_pct[cpu], 0});
  }
  result.not_used = load_fault(plan.load, usage, load.running());
  if (result.interrupted && result.measured < kShortestMeasurement) result.not_used = kNothingMeasured;
  load.stop();
  result.others_pct = balance.others_pct(load.cpu_time());
  result.environment.load.command = load.command();
  result.environment.keep_awake = plan.keep_awake;
  for (auto& verdict : context->verdicts()) {
    auto& kind = verdict.kind == timing::SectionKind::chain ? result.chains : result.verdicts;
    kind.push_back(std::move(verdict));
  }
  for (const auto& callback : plan.design->callbacks) {
    const auto* section = context->monitor().find(std::string(callback.name));
    if (section != nullptr) result.names.try_emplace(section->id(), callback.name);
  }
  sort_samples(result);
  return result;
}

void sort_samples(RunResult& result) {
  if (result.records.empty()) return;
  std::ranges::sort(result.records, {}, &timing::ActivationRecord::start_ns);
  const auto begin = result.records.front().start_ns;
  const auto at_s = [begin](std::int64_t ns) { return to_seconds(Duration{ns - begin}); };
  std::map<timing::SectionId, std::int64_t> last_start;
  for (const auto& record : result.records) {
    const auto& name = result.names[record.section];
    auto& samples = samples_of(result, name);
    samples.execution_ms.push_back(to_ms(Duration{record.execution_ns()}));
    samples.execution_at_s.push_back(at_s(record.start_ns));
    if (const auto last = last_start.find(record.section); last != last_start.end()) {
      samples.period_ms.push_back(to_ms(Duration{record.start_ns - last->second}));
      samples.period_at_s.push_back(at_s(record.start_ns));
    }
    last_start[record.section] = record.start_ns;
    // The end of the pipeline: its origin is the start of the sensor's callback.
    if (name == "brake_actuator/react" && record.origin_section != 0 && record.origin_ns >= begin) {
      auto& chain = samples_of(result, kChain);
      chain.execution_ms.push_back(to_ms(Duration{record.finish_ns - record.origin_ns}));
      chain.execution_at_s.push_back(at_s(record.origin_ns));
    }
  }
}

}  // namespace takt::lab::priority

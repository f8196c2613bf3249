// SPDX-License-Identifier: Apache-2.0
// What is predicted of each phase, and what was published of it.
#include <limits>

#include "lab/deadlines/predictions.hpp"

namespace takt::lab::deadlines {
namespace {

using timing::Cause;

constexpr double kMeanTolerance = 0.05;  // ms
constexpr const char* kMachine = "depends on the machine: not predicted";

Range exactly(double value) { return {value, value}; }
Range around(double value, double below, double above) { return {value - below, value + above}; }

double callbacks(const PhaseResult& r) { return static_cast<double>(r.counts.callbacks); }
double grid_periods(const PhaseResult& r) { return static_cast<double>(r.counts.grid_periods_spanned); }
double skipped(const PhaseResult& r) { return static_cast<double>(r.counts.skipped_periods); }
double misses(const PhaseResult& r) { return static_cast<double>(r.counts.deadline_misses); }
double own_off_cpu(const PhaseResult& r) {
  return static_cast<double>(with_cause(r.misses, Cause::own_off_cpu));
}
double blocked(const PhaseResult& r) { return static_cast<double>(with_cause(r.misses, Cause::blocked_by)); }
double mean_interval(const PhaseResult& r) { return r.counts.interval_wall.mean_ms; }
double min_interval(const PhaseResult& r) { return r.counts.interval_wall.min_ms; }
double max_interval(const PhaseResult& r) { return r.counts.interval_wall.max_ms; }
double mean_timer_interval(const PhaseResult& r) { return r.counts.interval_timer.mean_ms; }
double max_lateness(const PhaseResult& r) { return r.counts.start_lateness.max_ms; }
double over_period(const PhaseResult& r) { return static_cast<double>(r.counts.intervals_over_period); }
double over_budget(const PhaseResult& r) { return static_cast<double>(r.counts.intervals_over_budget); }
double over_jitter(const PhaseResult& r) {
  return static_cast<double>(r.counts.intervals_over_period_plus_jitter);
}
double publisher_rtf(const PhaseResult& r) {
  return r.rtf ? r.rtf->whole : std::numeric_limits<double>::quiet_NaN();
}
double least_window(const PhaseResult& r) {
  return r.rtf ? r.rtf->least : std::numeric_limits<double>::quiet_NaN();
}
double execution_timer(const PhaseResult& r) {
  return r.counts.execution_timer_max_injected_ms.value_or(std::numeric_limits<double>::quiet_NaN());
}
double execution_wall(const PhaseResult& r) {
  return r.counts.execution_wall_max_injected_ms.value_or(std::numeric_limits<double>::quiet_NaN());
}

/// Builds the list of one phase.
class Plan {
 public:
  Plan(const Phase& phase, const RunSetup& setup) : phase_(phase), setup_(setup) {
    ideal_.phase = phase;
    ideal_.rows = ideal_rows(phase, setup.length);
    ideal_.counts = count(ideal_.rows);
  }

  const Counts& ideal() const { return ideal_.counts; }
  const RunSetup& setup() const { return setup_; }
  /// Of an ideal machine. /clock tells a time a step after it was; the last slot may so come after the end.
  Range slots(double value) const { return {value - (phase_.simulated() ? 1 : 0), value}; }
  double of_ideal(double (*measure)(const PhaseResult&)) const { return measure(ideal_); }

  void add(const char* quantity, const char* why, double (*measure)(const PhaseResult&),
           std::optional<Range> predicted, std::optional<Range> published = {}, const char* note = "") {
    Expectation one{.phase = phase_,
                    .quantity = quantity,
                    .why = why,
                    .measure = measure,
                    .predicted = predicted,
                    .published = published,
                    .published_note = note};
    if (setup_.length != kPublishedLength) {
      one.published.reset();
      one.published_note.clear();
    }
    list_.push_back(std::move(one));
  }
  std::vector<Expectation> list() && { return std::move(list_); }

 private:
  Phase phase_;
  const RunSetup& setup_;
  PhaseResult ideal_;
  std::vector<Expectation> list_;
};

void plan_wall_baseline(Plan& plan) {
  plan.add("callbacks", "one for each slot of the grid", callbacks, plan.slots(plan.of_ideal(callbacks)));
  plan.add("mean interval, ms", "the grid keeps its phase", mean_interval,
           around(plan.of_ideal(mean_interval), kMeanTolerance, kMeanTolerance), exactly(10.0));
  plan.add("longest interval, ms", kMachine, max_interval, {}, Range{10.079, 11.148});
  plan.add("deadline misses", kMachine, misses, {}, exactly(0));
  plan.add("skipped periods", kMachine, skipped, {}, exactly(0));
  plan.add("intervals over 10 ms", "about half of them, by a hair: why intervals need a jitter allowance",
           over_period, {}, Range{242, 252});
  plan.add("intervals over 10.5 ms", kMachine, over_jitter, {}, Range{0, 5});
}

/// The factor of a clock that has the CPU time that it needs.
void plan_rtf(Plan& plan, double target, std::optional<Range> published, const char* note = "") {
  plan.add("real time factor of the publisher", "a process of its own keeps its rate, whatever the node does",
           publisher_rtf, Range{target * 0.995, target * 1.005}, published, note);
}

void plan_injected(Plan& plan, const char* note_callbacks, const char* note_periods, const char* note_skips,
                   const char* note_misses) {
  const auto injected = static_cast<double>(plan.ideal().injected);
  plan.add("callbacks", "each injection costs one slot", callbacks, plan.slots(plan.of_ideal(callbacks)),
           exactly(489), note_callbacks);
  plan.add("grid periods spanned", "the grid keeps its phase", grid_periods,
           plan.slots(plan.of_ideal(grid_periods)), exactly(498), note_periods);
  plan.add("skipped periods", "22 ms pass two slots; the first is run late, the second is dropped", skipped,
           exactly(plan.of_ideal(skipped)), exactly(10), note_skips);
  plan.add("deadline misses", "the injected callback (22 ms) and the next one, which starts 12 ms late",
           misses, exactly(plan.of_ideal(misses)), exactly(20), note_misses);
  plan.add("misses by own time off the CPU", "the injected callbacks sleep", own_off_cpu, exactly(injected));
  plan.add("misses blocked by the activation before", "the callbacks after them had to wait", blocked,
           exactly(plan.of_ideal(misses) - injected));
}

void plan_wall_injected(Plan& plan) {
  plan_injected(plan, "", "", "", "");
  plan.add("mean interval, ms", "all intervals together span the grid; the mean hides every miss",
           mean_interval, around(plan.of_ideal(mean_interval), kMeanTolerance, kMeanTolerance),
           exactly(10.205));
  plan.add("longest interval, ms", "from the injected start to the next one", max_interval,
           around(plan.of_ideal(max_interval), 0.5, 1.0), Range{22.517, 22.581});
  plan.add("shortest interval, ms", "the late callback is followed by one on its slot", min_interval,
           around(plan.of_ideal(min_interval), 1.0, 0.5), Range{7.404, 7.467});
  plan.add("largest start lateness, ms", "22 ms after a slot the next one is 12 ms old", max_lateness,
           around(plan.of_ideal(max_lateness), 0.5, 1.0), Range{12.52, 12.619});
}

void plan_sim_rtf1(Plan& plan) {
  plan_rtf(plan, 1.0, exactly(1.0));
  plan.add("callbacks", "one for each slot of the grid", callbacks, plan.slots(plan.of_ideal(callbacks)));
  plan.add("mean interval, ms", "the clock keeps its rate, the grid its phase", mean_interval,
           around(plan.of_ideal(mean_interval), kMeanTolerance, kMeanTolerance), exactly(10.0));
  plan.add("longest interval, ms", kMachine, max_interval, {}, Range{10.209, 11.685});
  plan.add("deadline misses", kMachine, misses, {}, exactly(0));
}

void plan_sim_rtf1_injected(Plan& plan) {
  plan_rtf(plan, 1.0, Range{0.9995, 1.0}, "run 1, throttled: 0.9678");
  plan.add("least factor of a 100 ms window", kMachine, least_window, {}, Range{0.975, 0.9992},
           "run 1, throttled: 0.737");
  plan_injected(plan, "run 1, throttled: 474", "run 1, throttled: 481", "run 1, throttled: 8",
                "run 1, throttled: 18");
  plan.add("mean interval, ms", "as on the wall clock", mean_interval,
           around(plan.of_ideal(mean_interval), kMeanTolerance, kMeanTolerance), Range{10.205, 10.211},
           "run 1, throttled: 10.505");
  plan.add("longest interval, ms", "from the injected start to the next one; time comes in steps of 1 ms",
           max_interval, around(plan.of_ideal(max_interval), 0.5, 2.0), Range{22.903, 23.103},
           "run 1, throttled: 41.491");
  if (plan.setup().shared_clock_thread) {
    plan.add("injected callback on the node's clock, ms", "nobody hears /clock while the callback sleeps",
             execution_timer, exactly(0), exactly(0));
  } else {
    plan.add("injected callback on the node's clock, ms", "a thread of its own hears /clock meanwhile",
             execution_timer, Range{21, 24}, exactly(0), "which heard /clock on the same thread");
  }
  plan.add("injected callback on the monotonic clock, ms", "it sleeps 22 ms", execution_wall, Range{22, 23},
           Range{22.102, 22.217});
}

void plan_sim_rtf05(Plan& plan) {
  plan_rtf(plan, 0.5, exactly(0.5), "runs 3 and 5: 0.4907, 0.494");
  plan.add("least factor of a 100 ms window", kMachine, least_window, {}, {}, "runs 3 and 5: 0.3441, 0.2735");
  plan.add("callbacks", "one for each slot of the grid", callbacks, plan.slots(plan.of_ideal(callbacks)));
  plan.add("mean interval, ms", "10 ms of simulated time take 20 of wall time", mean_interval,
           around(plan.of_ideal(mean_interval), 2 * kMeanTolerance, 2 * kMeanTolerance), exactly(20.0));
  plan.add("mean interval on the node's clock, ms", "the grid lies on simulated time", mean_timer_interval,
           around(10, kMeanTolerance, kMeanTolerance), exactly(10.0));
  plan.add("longest interval, ms", kMachine, max_interval, {}, Range{20.172, 20.263},
           "runs 3 and 5: 38.849, 62.528");
  plan.add("intervals over the wall budget of 25 ms", "20 ms leave 5 to spare", over_budget, exactly(0),
           exactly(0), "runs 3 and 5: 8, 3");
  plan.add("deadline misses", "a late clock makes nothing late on its own time", misses, exactly(0),
           exactly(0));
}

}  // namespace

std::vector<Expectation> expectations_of(const Phase& phase, const RunSetup& setup) {
  Plan plan(phase, setup);
  if (!phase.simulated()) {
    phase.inject ? plan_wall_injected(plan) : plan_wall_baseline(plan);
  } else if (phase.target_rtf < 1) {
    plan_sim_rtf05(plan);
  } else {
    phase.inject ? plan_sim_rtf1_injected(plan) : plan_sim_rtf1(plan);
  }
  return std::move(plan).list();
}

}  // namespace takt::lab::deadlines

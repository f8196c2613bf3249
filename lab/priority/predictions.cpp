// SPDX-License-Identifier: Apache-2.0
#include "lab/priority/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "lab/common/distribution.hpp"

namespace takt::lab::priority {
namespace {

constexpr double kAnything = std::numeric_limits<double>::max();

using Figure = double Distribution::*;

const RunPlan* find_plan(std::span<const RunPlan> runs, int design, bool real_time) {
  const auto found = std::ranges::find_if(
      runs, [&](const RunPlan& run) { return run.design->number == design && run.real_time == real_time; });
  return found == runs.end() ? nullptr : &*found;
}

const RunResult* find_result(std::span<const RunResult> results, int design, bool real_time) {
  const auto found = std::ranges::find_if(results, [&](const RunResult& result) {
    return result.plan.design->number == design && result.plan.real_time == real_time;
  });
  return found == results.end() ? nullptr : &*found;
}

std::optional<double> figure_of(const RunResult& run, std::string_view name,
                                std::vector<double> Samples::*quantity, Figure figure) {
  const auto samples = run.samples.find(name);
  if (samples == run.samples.end() || (samples->second.*quantity).empty()) return std::nullopt;
  return distribution_of(samples->second.*quantity).*figure;
}

std::optional<double> ratio(std::optional<double> above, std::optional<double> below) {
  if (!above || !below || *below <= 0) return std::nullopt;
  return *above / *below;
}

std::string range_text(double at_least, double at_most) {
  if (at_least <= 0) return fmt::format("at most {:.4g}", at_most);
  if (at_most >= kAnything) return fmt::format("at least {:.4g}", at_least);
  return fmt::format("{:.4g} to {:.4g}", at_least, at_most);
}

std::string published_text(std::optional<double> value) { return value ? fmt::format("{:.4g}", *value) : ""; }

/// Collects the claims whose runs are planned.
class Claims {
 public:
  explicit Claims(std::span<const RunPlan> runs) : runs_(runs) {}

  struct Bounds {
    double at_least = 0;
    double at_most = kAnything;
  };

  /// Of one run.
  void of_run(const DesignFacts& design, bool real_time, std::string quantity, Bounds bounds, std::string why,
              std::optional<double> published,
              std::function<std::optional<double>(const RunResult&)> measure) {
    const auto* plan = find_plan(runs_, design.number, real_time);
    if (plan == nullptr) return;
    Claim claim{
        .prediction = {.phase = name_of(*plan), .quantity = std::move(quantity), .why = std::move(why)},
        .design = design.number,
        .needs_real_time = real_time,
        .needs_normal = !real_time};
    claim.measure = [measure = std::move(measure), real_time](const RunResult* rt, const RunResult* normal) {
      return measure(real_time ? *rt : *normal);
    };
    add(std::move(claim), bounds, published);
  }

  void of_both(const DesignFacts& design, std::string quantity, Bounds bounds, std::string why,
               std::optional<double> published,
               std::function<std::optional<double>(const RunResult&, const RunResult&)> measure) {
    if (find_plan(runs_, design.number, true) == nullptr || find_plan(runs_, design.number, false) == nullptr)
      return;
    Claim claim{.prediction = {.phase = fmt::format("design {}, both", design.number),
                               .quantity = std::move(quantity),
                               .why = std::move(why)},
                .design = design.number,
                .needs_real_time = true,
                .needs_normal = true};
    claim.measure = [measure = std::move(measure)](const RunResult* rt, const RunResult* normal) {
      return measure(*rt, *normal);
    };
    add(std::move(claim), bounds, published);
  }

  std::vector<Claim> take() { return std::move(claims_); }

 private:
  void add(Claim claim, Bounds bounds, std::optional<double> published) {
    claim.at_least = bounds.at_least;
    claim.at_most = bounds.at_most;
    claim.prediction.predicted = range_text(bounds.at_least, bounds.at_most);
    claim.prediction.published = published_text(published);
    claims_.push_back(std::move(claim));
  }

  std::span<const RunPlan> runs_;
  std::vector<Claim> claims_;
};

/// Designs 1 and 2: two callbacks with the same work, one of them critical.
void claim_of_compared(Claims& claims, const DesignFacts& design, bool loaded, double wake_up_ms) {
  const auto critical = design.compared_critical;
  const auto other = design.compared_other;
  const auto& facts = *find_callback(design, critical);
  const auto& other_facts = *find_callback(design, other);
  const auto execution_p99 = [critical](const RunResult& run) {
    return figure_of(run, critical, &Samples::execution_ms, &Distribution::p99);
  };
  const auto period_p99 = [critical](const RunResult& run) {
    return figure_of(run, critical, &Samples::period_ms, &Distribution::p99);
  };
  const auto advantage = [critical, other](const RunResult& run) {
    return ratio(figure_of(run, other, &Samples::execution_ms, &Distribution::p99),
                 figure_of(run, critical, &Samples::execution_ms, &Distribution::p99));
  };
  claims.of_run(design, true, fmt::format("{} execution p99, ms", critical),
                {.at_most = 1.06 * facts.work_ms},
                "nothing preempts a thread of that priority but interrupts and the hypervisor",
                facts.execution->p99, execution_p99);
  // In design 1 the subscription (0.5 ms) shares the thread with the timer, and may be first.
  const double wait = design.number == 1 ? 0.5 : 0.0;
  claims.of_run(design, true, fmt::format("{} period p99, ms", critical),
                {.at_most = facts.period_ms + wake_up_ms + wait},
                wait > 0 ? "the wake-up is as late as the machine makes it, and the node's other callback "
                           "(0.5 ms) may be running"
                         : "the producer's timer is critical too: only the machine delays its wake-up",
                facts.period->p99, period_p99);
  if (!loaded) return;
  claims.of_run(design, true, fmt::format("execution p99, {} over {}", other, critical), {.at_least = 1.5},
                "the load takes the CPU from the one at the default priority while it works",
                other_facts.execution->p99 / facts.execution->p99, advantage);
  claims.of_run(design, false, fmt::format("execution p99, {} over {}", other, critical),
                {.at_least = 0.33, .at_most = 3}, "without priority both are treated alike (not published)",
                std::nullopt, advantage);
}

void claim_of_pipeline(Claims& claims, const DesignFacts& design, bool loaded, double wake_up_ms) {
  const auto end_to_end = [](Figure figure) {
    return [figure](const RunResult& run) { return figure_of(run, kChain, &Samples::execution_ms, figure); };
  };
  const auto period_p99 = [](const RunResult& run) {
    return figure_of(run, "sensor_driver/scan", &Samples::period_ms, &Distribution::p99);
  };
  claims.of_run(design, true, "end to end median, ms", {.at_most = 1.03 * kPipelineWorkMs},
                "7.2 ms of work, two messages handed on in microseconds", kPublishedRealTime.median,
                end_to_end(&Distribution::p50));
  claims.of_run(
      design, true, "end to end p99, ms", {.at_most = 1.06 * kPipelineWorkMs},
      "only interrupts, the 50 ms of each second that the kernel may keep from real-time threads, and the "
      "hypervisor delay it",
      kPublishedRealTime.p99, end_to_end(&Distribution::p99));
  claims.of_run(design, true, "sensor_driver/scan period p99, ms", {.at_most = 10 + wake_up_ms},
                "only the machine delays the wake-up of its timer", 10.01, period_p99);
  if (!loaded) return;
  claims.of_run(design, false, "end to end p99, ms", {.at_least = 10},
                "the load gets its share of the CPU at each of the three stages, and the delays add up",
                kPublishedNormal.p99, end_to_end(&Distribution::p99));
  claims.of_both(design, "end to end p99, FIFO over default", {.at_most = 0.3},
                 "the one is bounded by the work, the other by the load",
                 kPublishedRealTime.p99 / kPublishedNormal.p99,
                 [=](const RunResult& rt, const RunResult& normal) {
                   return ratio(end_to_end(&Distribution::p99)(rt), end_to_end(&Distribution::p99)(normal));
                 });
}

bool usable(const Claim& claim, const RunResult* real_time, const RunResult* normal) {
  const auto fine = [](bool needed, const RunResult* run) {
    return !needed || (run != nullptr && run->used());
  };
  return fine(claim.needs_real_time, real_time) && fine(claim.needs_normal, normal);
}

/// None of its runs was ended early: what was said is of the whole length.
bool complete(const Claim& claim, const RunResult* real_time, const RunResult* normal) {
  return !(claim.needs_real_time && real_time->interrupted) && !(claim.needs_normal && normal->interrupted);
}

}  // namespace

double expected_wake_up_ms(const Environment& environment) {
  return environment.virtualization == "none" ? 0.1 : 1.0;
}

std::vector<Claim> claims_about(std::span<const RunPlan> runs, double wake_up_ms) {
  Claims claims(runs);
  for (const auto& design : all_designs()) {
    const auto planned =
        std::ranges::find_if(runs, [&](const RunPlan& run) { return run.design == &design; });
    if (planned == runs.end()) continue;
    const bool loaded = planned->load != LoadKind::none;
    if (design.compared_critical.empty()) {
      claim_of_pipeline(claims, design, loaded, wake_up_ms);
    } else {
      claim_of_compared(claims, design, loaded, wake_up_ms);
    }
  }
  return claims.take();
}

std::vector<Prediction> check(const std::vector<Claim>& claims, std::span<const RunResult> results) {
  std::vector<Prediction> checked;
  for (const auto& claim : claims) {
    auto prediction = claim.prediction;
    const auto* real_time = find_result(results, claim.design, true);
    const auto* normal = find_result(results, claim.design, false);
    if (usable(claim, real_time, normal)) prediction.measured = claim.measure(real_time, normal);
    if (prediction.measured && complete(claim, real_time, normal)) {
      prediction.met = *prediction.measured >= claim.at_least && *prediction.measured <= claim.at_most;
    }
    checked.push_back(std::move(prediction));
  }
  return checked;
}

}  // namespace takt::lab::priority

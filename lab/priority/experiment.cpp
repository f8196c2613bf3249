// SPDX-License-Identifier: Apache-2.0
#include "lab/priority/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lab/common/distribution.hpp"

namespace takt::lab::priority {
namespace {

std::optional<Distribution> end_to_end(const Experiment& experiment, bool real_time) {
  const auto* run = experiment.find(3, real_time);
  if (run == nullptr || !run->used()) return std::nullopt;
  const auto samples = run->samples.find(kChain);
  if (samples == run->samples.end()) return std::nullopt;
  return distribution_of(samples->second.execution_ms);
}

std::string pipeline_sentence(const Distribution& d, const std::string& scheduling) {
  return fmt::format(
      "With {} the pipeline of design 3 took {:.2f} ms from sensor to brake (median), {:.2f} ms at the 99th "
      "percentile and {:.2f} ms at most, of which {:.1f} ms are work.",
      scheduling, d.p50, d.p99, d.max, kPipelineWorkMs);
}

}  // namespace

const RunResult* Experiment::find(int design, bool real_time) const {
  const auto found = std::ranges::find_if(results, [&](const RunResult& result) {
    return result.plan.design->number == design && result.plan.real_time == real_time;
  });
  return found == results.end() ? nullptr : &*found;
}

bool all_predictions_met(const Experiment& experiment) {
  return std::ranges::all_of(experiment.predictions,
                             [](const Prediction& p) { return p.met.value_or(false); });
}

std::string compared_sentence(const RunResult& run) {
  const auto& design = *run.plan.design;
  const auto critical = run.samples.find(design.compared_critical);
  const auto other = run.samples.find(design.compared_other);
  if (critical == run.samples.end() || other == run.samples.end()) return "";
  return fmt::format(
      "Design {}: {} and {} do the same work; the first, with {}, takes {:.2f} ms (execution p99), the "
      "second, "
      "at the default priority, {:.2f} ms. ",
      design.number, critical->first, other->first, scheduling_text(run.plan),
      distribution_of(critical->second.execution_ms).p99, distribution_of(other->second.execution_ms).p99);
}

std::string verdict_sentence(const Experiment& experiment) {
  std::string text;
  const auto real_time = end_to_end(experiment, true);
  const auto normal = end_to_end(experiment, false);
  if (real_time) text += pipeline_sentence(*real_time, scheduling_text(experiment.find(3, true)->plan)) + " ";
  if (normal && real_time) {
    text += fmt::format(
        "At the default priority: {:.2f}, {:.2f} and {:.2f} ms; its p99 is {:.1f} times as long. ",
        normal->p50, normal->p99, normal->max, normal->p99 / real_time->p99);
  } else if (normal) {
    text += pipeline_sentence(*normal, "the default priority") + " ";
  }
  for (const auto& run : experiment.results) {
    if (!real_time && !normal && run.used() && run.plan.real_time) text += compared_sentence(run);
  }
  const auto judged =
      std::ranges::count_if(experiment.predictions, [](const Prediction& p) { return p.met.has_value(); });
  const auto met = std::ranges::count_if(experiment.predictions,
                                         [](const Prediction& p) { return p.met.value_or(false); });
  text += fmt::format("{} of {} predictions are met", met, experiment.predictions.size());
  const auto open = std::ssize(experiment.predictions) - judged;
  if (open > 0) text += fmt::format(", {} could not be judged", open);
  return text + ".";
}

std::string plan_text(const Experiment& experiment) {
  std::string text = "# Plan: three designs under priority\n\nWritten before the first run.\n\n";
  text += fmt::format("Command: `{}`\n\n## Runs\n\n", shell_line(experiment.envelope.command));
  for (const auto& run : experiment.plans) {
    text += fmt::format(
        "- {}: {}; {:g} s after {:g} s of warm-up that are not measured; load: {}; work measured on {}; "
        "cores kept awake: {}\n",
        name_of(run), run.design->title, to_seconds(run.length), to_seconds(kWarmUp),
        run.load == LoadKind::none ? "none" : "stress-ng on every core",
        run.work == WorkKind::wall ? "wall time" : "CPU time", run.keep_awake ? "yes" : "no");
  }
  text += fmt::format("\nA run under load is used only if every core was busy for {:g} % of its time.\n",
                      kLoadedPct);
  text += "\n## Predictions\n\n| run | quantity | predicted | published | why |\n|---|---|---|---|---|\n";
  for (const auto& claim : experiment.claims) {
    const auto& p = claim.prediction;
    text += fmt::format("| {} | {} | {} | {} | {} |\n", p.phase, p.quantity, p.predicted,
                        p.published.empty() ? "-" : p.published, p.why);
  }
  return text;
}

std::string raw_csv(const RunResult& result) {
  std::string text = "callback,release_ns,start_ns,finish_ns,origin,origin_ns,skipped,missed\n";
  const auto name = [&](timing::SectionId id) {
    const auto found = result.names.find(id);
    return found == result.names.end() ? std::string() : found->second;
  };
  for (const auto& r : result.records) {
    const bool missed = (r.flags & timing::kMissed) != 0;
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", name(r.section), r.release_ns,
                   r.start_ns, r.finish_ns, name(r.origin_section), r.origin_section == 0 ? 0 : r.origin_ns,
                   r.skipped, missed ? 1 : 0);
  }
  return text;
}

}  // namespace takt::lab::priority

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "lab/common/distribution.hpp"
#include "lab/priority/experiment.hpp"

namespace takt::lab::priority {
namespace {

std::string ms(double value) { return fmt::format("{:.3f}", value); }

std::string published(const std::optional<Tail>& tail) {
  return tail ? fmt::format("{:g} / {:g}", tail->p99, tail->max) : "-";
}

/// Median, p99 and maximum.
void append_figures(std::vector<std::string>& row, const std::vector<double>& values) {
  if (values.empty()) {
    row.insert(row.end(), 3, "-");
    return;
  }
  const auto d = distribution_of(values);
  for (const double figure : {d.p50, d.p99, d.max}) row.push_back(ms(figure));
}

std::string note_about_published(const RunPlan& plan) {
  if (!plan.real_time && plan.design->number != 3) {
    return "No figures are published for this design at the default priority.";
  }
  return "Published: p99 / maximum.";
}

std::string judgement_text(timing::Judgement judgement) {
  switch (judgement) {
    case timing::Judgement::met:
      return "MET";
    case timing::Judgement::missed:
      return "MISSED";
    case timing::Judgement::not_judged:
      break;
  }
  return "NOT JUDGED";
}

/// "runqueue 12, own_cpu 1".
std::string causes_text(const timing::Verdict& verdict) {
  std::string text;
  for (std::size_t i = 0; i < timing::kCauses; ++i) {
    if (verdict.causes[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", timing::words(static_cast<timing::Cause>(i)), verdict.causes[i]);
  }
  return text;
}

/// "97.1 and 99.4 %".
std::string busy_text(const Environment& environment) {
  std::string text;
  for (const double busy : environment.load.busy_pct)
    text += fmt::format("{}{:.1f}", text.empty() ? "" : ", ", busy);
  return text;
}

void add_comparison(Table& table, std::string what, const EndToEnd& figures) {
  table.rows.push_back({std::move(what), ms(figures.median), ms(figures.p99), ms(figures.max)});
}

}  // namespace

Table callbacks_table(const RunResult& result) {
  const auto& plan = result.plan;
  Table table{.title = fmt::format("Design {} ({}), {}: {:.1f} s, cores busy {} %, stolen {:.2f} %",
                                   plan.design->number, plan.design->title, scheduling_text(plan),
                                   to_seconds(result.measured), busy_text(result.environment),
                                   result.environment.steal_pct),
              .columns = {{"callback, ms", Align::left},
                          {"critical", Align::left},
                          {"work"},
                          {"execution p50"},
                          {"p99"},
                          {"max"},
                          {"published"},
                          {"period p50"},
                          {"p99"},
                          {"max"},
                          {"published"}},
              .note = note_about_published(plan)};
  for (const auto& facts : plan.design->callbacks) {
    const auto found = result.samples.find(facts.name);
    const Samples none;
    const auto& samples = found == result.samples.end() ? none : found->second;
    std::vector<std::string> row = {std::string(facts.name), facts.critical ? "yes" : "",
                                    fmt::format("{:g}", facts.work_ms)};
    append_figures(row, samples.execution_ms);
    row.push_back(published(plan.real_time ? facts.execution : std::nullopt));
    append_figures(row, samples.period_ms);
    row.push_back(published(plan.real_time ? facts.period : facts.period_normal));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table verdicts_table(const RunResult& result) {
  Table table{.title = fmt::format("Verdicts, {}", name_of(result.plan)),
              .columns = {{"callback", Align::left},
                          {"scheduling granted", Align::left},
                          {"deadline, ms"},
                          {"activations"},
                          {"misses"},
                          {"skips"},
                          {"longest run"},
                          {"response p99"},
                          {"max"},
                          {"verdict", Align::left},
                          {"causes of misses", Align::left}},
              .note =
                  "Response = finish - release; a release is the timer's slot, or the time of the publish. "
                  "Verdicts come from takt's own histograms, which are exact to 1 %."};
  const auto add = [&](const timing::Verdict& v) {
    table.rows.push_back({v.name, v.kind == timing::SectionKind::chain ? "" : to_string(v.granted.scheduling),
                          v.deadline == kNoDeadline ? "-" : fmt::format("{:g}", to_ms(v.deadline)),
                          std::to_string(v.activations), std::to_string(v.misses), std::to_string(v.skips),
                          std::to_string(v.longest_miss_run), ms(to_ms(v.response.p99)),
                          ms(to_ms(v.response.max)), judgement_text(v.judgement), causes_text(v)});
  };
  for (const auto& facts : result.plan.design->callbacks) {
    const auto found = std::ranges::find(result.verdicts, facts.name, &timing::Verdict::name);
    if (found != result.verdicts.end()) add(*found);
  }
  for (const auto& chain : result.chains) add(chain);
  return table;
}

Table comparison_table(const Experiment& experiment) {
  Table table{.title = "Design 3, from the start of the sensor's callback to the end of the brake's, ms",
              .columns = {{"", Align::left}, {"median"}, {"p99"}, {"max"}},
              .note =
                  "Published and rclcpp: measured on other machines, work on wall time; rclcpp is Jazzy on "
                  "Cyclone DDS, on a virtual machine with two cores under stress-ng."};
  for (const bool real_time : {true, false}) {
    const auto* run = experiment.find(3, real_time);
    if (run == nullptr || !run->ran()) continue;
    const auto samples = run->samples.find(kChain);
    if (samples == run->samples.end()) continue;
    const auto d = distribution_of(samples->second.execution_ms);
    add_comparison(table,
                   fmt::format("takt, {}{}", scheduling_text(run->plan), run->used() ? "" : " (not used)"),
                   {d.p50, d.p99, d.max});
  }
  add_comparison(table, "published, FIFO 90", kPublishedRealTime);
  add_comparison(table, "published, default priority", kPublishedNormal);
  add_comparison(table, "rclcpp, FIFO 90", kRclcppRealTime);
  add_comparison(table, "rclcpp, default priority", kRclcppNormal);
  table.rows.push_back({"the work alone", ms(kPipelineWorkMs), "", ""});
  return table;
}

}  // namespace takt::lab::priority

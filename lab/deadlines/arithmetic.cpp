// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace takt::lab::deadlines {
namespace {

/// A number that the calculation must give, to nine digits.
Calculation number(std::string meaning, std::string formula, double expected, double actual) {
  const bool agrees = std::abs(expected - actual) <= 1e-9 * std::max(1.0, std::abs(expected));
  return {std::move(meaning), std::move(formula), fmt::format("{:.10g}", expected),
          fmt::format("{:.10g}", actual), agrees};
}

/// A value against a limit.
Calculation judgement(std::string meaning, double value, double limit, bool expected) {
  const bool actual = value <= limit;
  const auto word = [](bool passes) { return passes ? "passes" : "fails"; };
  return {std::move(meaning), fmt::format("{:.10g} <= {:.10g}", value, limit), word(expected), word(actual),
          expected == actual};
}

}  // namespace

std::vector<Calculation> arithmetic() {
  const double rate_hz = 100;
  const double period_ms = 1000 / rate_hz;
  const double cycles = 1000;
  const double wall_ms = 10000;
  const double simulated_ms = cycles * period_ms;
  const double longest_ms = 25;
  const double missed = 3;
  const double slow_rtf = 0.5;
  const double wall_per_step_ms = period_ms / slow_rtf;
  const double budget_ms = 25;
  const double jitter = 0.05;
  const double allowed_ns = 1e9 / 1000 * jitter;  // 1 kHz
  return {
      number("period of a 100 Hz loop, ms", "1000 / 100", 10, period_ms),
      number("mean interval of 1000 cycles in 10 s, ms", "10000 / 1000", 10, wall_ms / cycles),
      number("real time factor over them", "10000 / 10000", 1.0, simulated_ms / wall_ms),
      number("overrun of a 25 ms interval, ms", "25 - 10", 15, longest_ms - period_ms),
      number("miss rate of 3 in 1000, %", "3 / 1000", 0.3, missed / cycles * 100),
      number("wall time per step at a real time factor of 0.5, ms", "10 / 0.5", 20, wall_per_step_ms),
      number("to spare of a 25 ms budget, ms", "25 - 20", 5, budget_ms - wall_per_step_ms),
      number("5 % of the period of a 1 kHz loop, us", "1000 * 5 %", 50, allowed_ns / 1000),
      judgement("the tutorial's mean latency against it, ns", 19871.8, allowed_ns, true),
      judgement("the tutorial's longest latency against it, ns", 2752187, allowed_ns, false),
  };
}

bool all_agree(const std::vector<Calculation>& calculations) {
  return std::all_of(calculations.begin(), calculations.end(),
                     [](const Calculation& one) { return one.agrees; });
}

Table table_of(const std::vector<Calculation>& calculations) {
  Table table{.title = "Arithmetic of the published experiment",
              .columns = {{"meaning", Align::left},
                          {"calculation", Align::left},
                          {"expected"},
                          {"actual"},
                          {"", Align::left}}};
  for (const auto& one : calculations) {
    table.rows.push_back(
        {one.meaning, one.formula, one.expected, one.actual, one.agrees ? "agrees" : "DIFFERS"});
  }
  table.note =
      "Illustrative values: a mean and a real time factor can be perfect while deadlines are missed.";
  return table;
}

nlohmann::ordered_json to_json(const std::vector<Calculation>& calculations) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& one : calculations) {
    list.push_back({{"meaning", one.meaning},
                    {"formula", one.formula},
                    {"expected", one.expected},
                    {"actual", one.actual},
                    {"agrees", one.agrees}});
  }
  return {{"calculations", std::move(list)}, {"all_agree", all_agree(calculations)}};
}

}  // namespace takt::lab::deadlines

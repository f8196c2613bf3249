// SPDX-License-Identifier: Apache-2.0
// Plans, runs and results that no machine has measured.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "lab/comm/cell.hpp"
#include "lab/comm/plan.hpp"
#include "lab/comm/stacks.hpp"

namespace takt::lab::comm::example {

using Json = nlohmann::ordered_json;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ms;

inline Json machine() {
  return {{"kernel", "6.1"}, {"cpu_model", "A"}, {"cpus_online", 2}, {"takt_version", "1"}};
}

inline Plan plan_of_stage(const std::string& stage) {
  const auto matrix = matrix_of(stage);
  return {.stage = stage,
          .stacks = {"takt", "futex-bells"},
          .payloads = matrix.payloads,
          .subscribers = matrix.subscribers};
}

inline CellRun run_of(const char* stack, std::vector<std::vector<float>> latency_us, std::uint64_t sent,
                      Duration sending) {
  RoundResult round;
  round.latency_us = std::move(latency_us);
  round.publish_us.assign(sent, 1.0F);
  round.sent = sent;
  round.sending = sending;
  round.publisher_cpu = 10us;
  round.subscriber_cpu = 12us;
  round.rss_kib = 2048;
  const auto readers = static_cast<std::uint32_t>(round.latency_us.size());
  return {.stack = find_stack(stack),
          .point = {.payload = 64, .subscribers = readers, .touched = true},
          .rounds = {std::move(round)}};
}

/// results.json of a run with one point.
inline Json results_of(const char* kernel, double takt_us, const char* standing) {
  Json takt = cell_json({}, run_of("takt", {{static_cast<float>(takt_us)}}, 1, 1ms));
  Json bells = cell_json({}, run_of("futex-bells", {{8.0F}}, 1, 1ms));
  takt["takt"] = nullptr;
  bells["takt"] = {{"standing", standing}, {"reason", ""}, {"ratio", 1.0}, {"low", 1.0}, {"high", 1.0}};
  auto here = machine();
  here["kernel"] = kernel;
  return {{"started_at", "2026-01-31T12:00:00Z"},
          {"partial", false},
          {"warnings", Json::array()},
          {"environment",
           {{"governor", "none"}, {"virtualization", "none"}, {"preemption", "full"}, {"compiler", "g++"}}},
          {"plan", plan_json(plan_of_stage("smoke"), here)},
          {"noise", Json::array()},
          {"cells", {takt, bells}}};
}

inline Json judged(Json cell, const char* standing, double ratio) {
  cell["takt"] = {{"standing", standing}, {"reason", ""}, {"ratio", ratio}, {"low", ratio}, {"high", ratio}};
  return cell;
}

}  // namespace takt::lab::comm::example

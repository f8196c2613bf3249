// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "lab/comm/outcomes.hpp"
#include "lab/comm/stacks.hpp"
#include "lab/comm/verdict.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFlatWithin = 1.2;

template <class List, class Value>
bool has(const List& list, const Value& value) {
  return std::ranges::find(list, value) != list.end();
}

Claim claim(std::string phase, std::string quantity, double at_least, double at_most, std::string predicted,
            std::string why, std::function<Outcome(const Cells&)> measure, std::string published = "") {
  return {.prediction = {.phase = std::move(phase),
                         .quantity = std::move(quantity),
                         .predicted = std::move(predicted),
                         .why = std::move(why),
                         .published = std::move(published)},
          .measure = std::move(measure),
          .at_least = at_least,
          .at_most = at_most};
}

struct Rival {
  std::string_view stack;
  std::string why;
  std::string published;
};

std::vector<Rival> rivals() {
  return {{"iceoryx",
           "both lend memory; it wakes through a named semaphore and asks its daemon's bookkeeping", ""},
          {"cyclonedds", "each message is copied, framed and sent through a socket to each reader",
           "0.83 (R2Kernel / Cyclone DDS, 64 B, 16 subscribers)"},
          {"cyclonedds-iceoryx", "what iceoryx costs, and the middleware above it", ""},
          {"fastdds", "house threads hand each message on, to one reader after the other",
           "0.47 (R2Kernel / Fast DDS, 64 B, 16 subscribers)"},
          {"unix", "a copy and a system call for each reader; with one reader and few bytes it is near", ""},
          {"udp", "the same, and the kernel's network layers", ""}};
}

}  // namespace

std::vector<Claim> claims_about(const Plan& plan) {
  std::vector<Claim> claims;
  const auto runs = [&](std::string_view stack) { return has(plan.stacks, std::string(stack)); };
  const auto least = plan.subscribers.empty() ? 0 : std::ranges::min(plan.subscribers);
  const auto most = plan.subscribers.empty() ? 0 : std::ranges::max(plan.subscribers);
  const bool small = std::ranges::any_of(plan.payloads, [](auto payload) { return payload <= 64; });
  if (runs("takt") && runs(kBaseline) && small && least <= kFewReaders) {
    claims.push_back(claim("floor", "takt / futex-bells, means, up to 64 B and 16 subscribers, largest", 0,
                           kLevelMargin, fmt::format("at most {:g}", kLevelMargin),
                           "both wake each reader once; what takt adds is a few microseconds of its own",
                           ratio_to_floor));
  }
  for (const auto& rival : rivals()) {
    if (runs("takt") && runs(rival.stack)) {
      claims.push_back(claim(
          std::string(rival.stack), "share of the judged cells in which takt is ahead", 1, 1, "1", rival.why,
          [stack = rival.stack](const Cells& cells) { return share_ahead(cells, stack); }, rival.published));
    }
  }
  if (runs("takt")) {
    claims.push_back(claim("takt", "messages lost where takt and the floor hold the rate", 0, 0, "0",
                           "the last 16 messages are kept, and a reader is seldom 16 periods late",
                           lost_by_takt));
  }
  const bool sizes =
      std::ranges::count_if(plan.payloads, [](auto payload) { return payload >= kBothFrom; }) > 1;
  for (const std::string_view stack : {"takt", "takt-shm", "iceoryx"}) {
    if (runs(stack) && sizes) {
      claims.push_back(claim(std::string(stack), "untouched: mean of a larger / a smaller payload, largest",
                             0, kFlatWithin, fmt::format("at most {:g}", kFlatWithin),
                             "a loan is handed on, and nobody touches its bytes",
                             [stack](const Cells& cells) { return steepest_untouched(cells, stack); }));
    }
  }
  for (const std::string_view stack : {"cyclonedds", "fastdds"}) {
    if (runs(stack) && has(plan.payloads, kMegabyte) && most >= kManyReaders) {
      claims.push_back(
          claim(std::string(stack),
                "share of the cells of 1 MiB, 64 subscribers and more, that lose or do not hold the rate", 1,
                1, "1", "64 GB a second are more than a machine copies",
                [stack](const Cells& cells) { return share_overwhelmed(cells, stack); }));
    }
  }
  return claims;
}

std::vector<Prediction> check(const std::vector<Claim>& claims, const Cells& cells) {
  std::vector<Prediction> checked;
  for (const auto& one : claims) {
    auto prediction = one.prediction;
    const auto outcome = one.measure(cells);
    prediction.measured = outcome.value;
    if (outcome.value && outcome.judged)
      prediction.met = *outcome.value >= one.at_least && *outcome.value <= one.at_most;
    checked.push_back(std::move(prediction));
  }
  return checked;
}

Json predictions_json(const Plan& plan, const Cells& cells) {
  Json list = Json::array();
  for (const auto& prediction : check(claims_about(plan), cells)) list.push_back(to_json(prediction));
  return list;
}

Json plan_document(const Plan& plan, const Json& machine) {
  auto document = plan_json(plan, machine);
  document["predictions"] = Json::array();
  for (const auto& [prediction, measure, at_least, at_most] : claims_about(plan)) {
    document["predictions"].push_back(
        {{"phase", prediction.phase},
         {"quantity", prediction.quantity},
         {"predicted", prediction.predicted},
         {"why", prediction.why},
         {"published", prediction.published.empty() ? Json() : Json(prediction.published)}});
  }
  return document;
}

Table claims_table(const Plan& plan) {
  Table table{.title = "What is predicted, and why",
              .columns = {{"", Align::left}, {"quantity", Align::left}, {"predicted"}, {"why", Align::left}}};
  for (const auto& one : claims_about(plan)) {
    const auto& p = one.prediction;
    table.rows.push_back({p.phase, p.quantity, p.predicted, p.why});
  }
  return table;
}

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "lab/comm/stacks.hpp"
#include "lab/comm/verdict.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kFewReaders = 16;  // more than these the machine itself may not hold
constexpr std::uint32_t kManyReaders = 64;
constexpr std::uint32_t kMegabyte = 1U << 20U;
constexpr double kFlatWithin = 1.2;

std::uint32_t figure(const Json& cell, const char* key) { return cell.at(key).get<std::uint32_t>(); }
bool is_of(const Json& cell, std::string_view stack) { return cell.at("stack") == stack; }
bool ran(const Json& cell) { return !cell.at("mean_us").is_null() && !cell.at("saturated").get<bool>(); }

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

/// takt's largest ratio to the floor with few readers and a small message; judged where all of them are.
Outcome ratio_to_floor(const Cells& cells) {
  Outcome outcome;
  for (const auto& cell : cells) {
    if (!is_of(cell, kBaseline) || figure(cell, "payload_bytes") > 64 ||
        figure(cell, "subscribers") > kFewReaders || cell.at("takt").is_null())
      continue;
    const auto& takt = cell.at("takt");
    outcome.judged = outcome.judged && takt.at("standing") != to_string(Standing::not_judged);
    if (!takt.at("ratio").is_null())
      outcome.value = std::max(outcome.value.value_or(0), takt.at("ratio").get<double>());
  }
  return outcome;
}

/// The share of judged comparisons with this stack in which takt is ahead.
Outcome share_ahead(const Cells& cells, std::string_view stack) {
  double ahead = 0;
  double judged = 0;
  for (const auto& cell : cells) {
    if (!is_of(cell, stack) || cell.at("takt").is_null()) continue;
    const auto& standing = cell.at("takt").at("standing");
    if (standing == to_string(Standing::not_judged)) continue;
    ++judged;
    if (standing == to_string(Standing::ahead)) ++ahead;
  }
  return judged > 0 ? Outcome{.value = ahead / judged} : Outcome{};
}

/// By how much a message that nobody touches costs more when it is larger, at the worst N.
Outcome steepest_untouched(const Cells& cells, std::string_view stack) {
  Outcome outcome;
  const auto counts = [&](const Json& cell) {
    return is_of(cell, stack) && cell.at("payload_mapping") == kUntouched && ran(cell);
  };
  for (const auto& small : cells) {
    for (const auto& large : cells) {
      if (!counts(small) || !counts(large) || small.at("subscribers") != large.at("subscribers") ||
          figure(small, "payload_bytes") >= figure(large, "payload_bytes"))
        continue;
      const double ratio = large.at("mean_us").get<double>() / small.at("mean_us").get<double>();
      outcome.value = std::max(outcome.value.value_or(0), ratio);
    }
  }
  return outcome;
}

/// What takt lost where it and the floor hold the rate.
Outcome lost_by_takt(const Cells& cells) {
  Outcome outcome;
  for (const auto& cell : cells) {
    if (!is_of(cell, "takt") || !ran(cell)) continue;
    const auto floor_fails = [&](const Json& other) {
      return is_of(other, kBaseline) && same_point(other, cell) && other.at("saturated").get<bool>();
    };
    if (std::ranges::none_of(cells, floor_fails))
      outcome.value = outcome.value.value_or(0) + cell.at("lost").get<double>();
  }
  return outcome;
}

/// The share of this stack's cells of 1 MiB and many readers that lose messages or do not hold the rate.
Outcome share_overwhelmed(const Cells& cells, std::string_view stack) {
  double all = 0;
  double overwhelmed = 0;
  for (const auto& cell : cells) {
    if (!is_of(cell, stack) || figure(cell, "payload_bytes") < kMegabyte ||
        figure(cell, "subscribers") < kManyReaders || cell.at("payload_mapping") != kFilled ||
        !cell.at("unsupported").is_null())
      continue;
    ++all;
    const bool did_it =
        cell.at("failed").is_null() && !cell.at("saturated").get<bool>() && cell.at("lost") == 0;
    if (!did_it) ++overwhelmed;
  }
  return all > 0 ? Outcome{.value = overwhelmed / all} : Outcome{};
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

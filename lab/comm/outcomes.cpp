// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/outcomes.hpp"

#include <algorithm>

#include "lab/comm/plan.hpp"
#include "lab/comm/stacks.hpp"
#include "lab/comm/verdict.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

std::uint32_t figure(const Json& cell, const char* key) { return cell.at(key).get<std::uint32_t>(); }
bool is_of(const Json& cell, std::string_view stack) { return cell.at("stack") == stack; }
bool ran(const Json& cell) { return !cell.at("mean_us").is_null() && !cell.at("saturated").get<bool>(); }

}  // namespace

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

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "takt/core/error.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWarmUpSeconds = 0.1;  // what ends do after they have met: first pages, first records
constexpr double kFewestWarmUpMessages = 20;

void add_differences(std::vector<std::string>& words, const std::string& name, const Json& there,
                     const Json& here) {
  if (there == here) return;
  if (!there.is_object() || !here.is_object()) {
    words.push_back(fmt::format("{} is {} there and {} here", name, there.dump(), here.dump()));
    return;
  }
  const auto value_of = [](const Json& object, const std::string& key) {
    return object.contains(key) ? object.at(key) : Json();
  };
  const auto prefix = name.empty() ? "" : name + ".";
  for (const auto& [key, value] : there.items())
    add_differences(words, prefix + key, value, value_of(here, key));
  for (const auto& [key, value] : here.items()) {
    if (!there.contains(key)) add_differences(words, prefix + key, Json(), value);
  }
}

}  // namespace

std::string_view mapping_name(const Point& point) { return point.touched ? kFilled : kUntouched; }

std::string size_text(std::uint32_t bytes) {
  if (bytes >= 1U << 20U && bytes % (1U << 20U) == 0) return fmt::format("{} MiB", bytes >> 20U);
  if (bytes >= 1024 && bytes % 1024 == 0) return fmt::format("{} KiB", bytes / 1024);
  return fmt::format("{} B", bytes);
}

std::string name_of(const Point& point) {
  return fmt::format("{}{}, {} subscriber{}", size_text(point.payload), point.touched ? "" : " untouched",
                     point.subscribers, point.subscribers == 1 ? "" : "s");
}

std::vector<Point> Plan::points() const {
  std::vector<Point> all;
  for (const auto payload : payloads) {
    for (const bool touched : {true, false}) {
      if (!touched && payload < kBothFrom) continue;
      for (const auto count : subscribers) all.push_back({payload, count, touched});
    }
  }
  return all;
}

Round Plan::round_at(const Point& point) const {
  Round round;
  round.readers = point.subscribers;
  round.size = point.payload;
  round.samples = static_cast<std::uint32_t>(std::max(1.0, std::round(rate_hz * seconds / rounds)));
  round.warmup = static_cast<std::uint32_t>(std::max(kFewestWarmUpMessages, rate_hz * kWarmUpSeconds));
  round.period_ns = std::llround(1e9 / rate_hz);
  round.touched = point.touched;
  round.fifo = priority;
  round.round_trip = round_trip;
  return round;
}

Matrix matrix_of(std::string_view stage) {
  if (stage == "smoke" || stage == "fanout") return {{64, 1024, 4096}, {1, 2, 4, 8, 16}};
  if (stage == "coarse") return {{8, 1024, 65'536, 1'048'576}, {1, 4, 16, 64, 256}};
  if (stage == "full") {
    return {{8, 64, 256, 1024, 4096, 16'384, 65'536, 262'144, 1'048'576}, {1, 2, 4, 8, 16, 32, 64, 128, 256}};
  }
  if (stage == "stress") return {{8}, {512, 1024}};
  throw SetupError(fmt::format("no stage is called '{}'", stage),
                   "use smoke, fanout, coarse, full or stress");
}

double seconds_of(std::string_view stage) { return stage == "coarse" ? 1.5 : 5; }

Json plan_json(const Plan& plan, const Json& machine) {
  return {{"stage", plan.stage},
          {"stacks", plan.stacks},
          {"payload_bytes", plan.payloads},
          {"subscribers", plan.subscribers},
          {"rate_hz", plan.rate_hz},
          {"seconds", plan.seconds},
          {"rounds", plan.rounds},
          {"load", plan.load},
          {"rt_priority", plan.priority},
          {"keep_awake", plan.keep_awake},
          {"mode", plan.round_trip ? kRoundTrip : kOneWay},
          {"machine", machine}};
}

std::vector<std::string> differences(const Json& there, const Json& here) {
  std::vector<std::string> words;
  add_differences(words, "", there, here);
  return words;
}

}  // namespace takt::lab::comm

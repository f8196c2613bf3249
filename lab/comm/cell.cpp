// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lab/common/distribution.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

/// All rounds of a cell in one.
struct Sums {
  explicit Sums(const CellRun& run) {
    for (const auto& round : run.rounds) {
      sent += round.sent;
      received += round.received();
      sending += round.sending;
      publisher_cpu += round.publisher_cpu;
      subscriber_cpu += round.subscriber_cpu;
      rss_kib = std::max(rss_kib, round.rss_kib);
      for (const auto& reader : round.latency_us)
        latency_us.insert(latency_us.end(), reader.begin(), reader.end());
      publish_us.insert(publish_us.end(), round.publish_us.begin(), round.publish_us.end());
    }
  }
  std::uint64_t sent = 0, received = 0, rss_kib = 0;
  Duration sending{}, publisher_cpu{}, subscriber_cpu{};
  std::vector<double> latency_us, publish_us;
};

/// The command that repeats this cell alone.
std::vector<std::string> command_of(const Plan& plan, const CellRun& run) {
  std::vector<std::string> words = {"takt",
                                    "lab",
                                    "comm",
                                    "--stacks",
                                    std::string(run.stack->name),
                                    "--payload",
                                    std::to_string(run.point.payload),
                                    "--subscribers",
                                    std::to_string(run.point.subscribers),
                                    "--rate",
                                    fmt::format("{:g}", plan.rate_hz),
                                    "--seconds",
                                    fmt::format("{:g}", plan.seconds),
                                    "--rounds",
                                    std::to_string(plan.rounds),
                                    "--load",
                                    plan.load};
  if (plan.priority > 0) words.insert(words.end(), {"--rt-priority", std::to_string(plan.priority)});
  if (plan.keep_awake) words.emplace_back("--keep-awake");
  if (plan.round_trip) words.emplace_back("--roundtrip");
  return words;
}

Json rounds_json(const CellRun& run) {
  Json list = Json::array();
  const auto means = round_means_us(run);
  for (std::size_t i = 0; i < run.rounds.size(); ++i) {
    list.push_back(
        {{"sent", run.rounds[i].sent}, {"received", run.rounds[i].received()}, {"mean_us", means[i]}});
  }
  return list;
}

double spread(const std::vector<double>& values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

Json words_or_null(const std::string& words) { return words.empty() ? Json() : Json(words); }

}  // namespace

std::vector<double> round_means_us(const CellRun& run) {
  std::vector<double> means;
  for (const auto& round : run.rounds) {
    double sum = 0;
    for (const auto& reader : round.latency_us) sum = std::accumulate(reader.begin(), reader.end(), sum);
    const auto count = round.received();
    means.push_back(count > 0 ? sum / static_cast<double>(count) : 0);
  }
  return means;
}

std::string raw_file_of(const StackFacts& stack, const Point& point) {
  return fmt::format("raw/{}-{}-{}-{}.npy", stack.name, point.payload, mapping_name(point),
                     point.subscribers);
}

Json cell_json(const Plan& plan, const CellRun& run) {
  const Sums sums(run);
  const bool measured = sums.sent > 0;
  const auto latency = distribution_of(sums.latency_us);
  const auto publish = distribution_of(sums.publish_us);
  const auto figure = [&](double value) { return sums.received > 0 ? Json(value) : Json(); };
  const auto each = [](Duration time, std::uint64_t count) {
    return count > 0 ? Json(to_us(time) / static_cast<double>(count)) : Json();
  };
  const double rate = measured ? static_cast<double>(sums.sent) / to_seconds(sums.sending) : 0;
  const auto expected = sums.sent * run.point.subscribers;
  const auto lost = expected - std::min(expected, sums.received);
  return {{"stack", run.stack->name},
          {"wakeup", run.stack->poll ? "poll" : "block"},
          {"path", run.stack->path},
          {"mode", plan.round_trip ? kRoundTrip : kOneWay},
          {"payload_bytes", run.point.payload},
          {"payload_mapping", mapping_name(run.point)},
          {"subscribers", run.point.subscribers},
          {"rate_hz", plan.rate_hz},
          {"achieved_rate_hz", measured ? Json(rate) : Json()},
          {"saturated", measured && rate < kReached * plan.rate_hz},
          {"delivery", measured ? Json(lost == 0 ? "lossless" : "loss") : Json()},
          {"sent", sums.sent},
          {"received", sums.received},
          {"lost", lost},
          {"mean_us", figure(latency.mean)},
          {"min_us", figure(latency.count > 0 ? std::ranges::min(sums.latency_us) : 0)},
          {"stddev_us", figure(spread(sums.latency_us, latency.mean))},
          {"p50_us", figure(latency.p50)},
          {"p99_us", figure(latency.p99)},
          {"p999_us", figure(latency.p999)},
          {"max_us", figure(latency.max)},
          {"publish_p99_us", measured ? Json(publish.p99) : Json()},
          {"clock", "same_host"},
          {"clock_bound_us", 0},
          {"publisher_cpu_us", each(sums.publisher_cpu, sums.sent)},
          {"subscriber_cpu_us", each(sums.subscriber_cpu, sums.received)},
          {"rss_kib", measured ? Json(sums.rss_kib) : Json()},
          {"command", command_of(plan, run)},
          {"raw_file", measured ? Json(raw_file_of(*run.stack, run.point)) : Json()},
          {"unsupported", words_or_null(run.unsupported)},
          {"failed", words_or_null(run.failed)},
          {"rounds", rounds_json(run)}};
}

}  // namespace takt::lab::comm

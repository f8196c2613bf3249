// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/comm/experiment.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

// The first thirteen as performance_test calls them, then which cell it is.
constexpr const char* kColumns =
    "T_experiment,T_loop,received,sent,lost,relative_loss,data_received,latency_min (ms),latency_max (ms),"
    "latency_mean (ms),latency_variance (ms),ru_maxrss,cpu_usage (%),stack,payload_bytes,payload_mapping,"
    "subscribers,rate_hz,saturated,mode\n";

double number(const Json& cell, const char* key) {
  return cell.at(key).is_null() ? 0 : cell.at(key).get<double>();
}

std::string row_of(const Json& cell, double begin_s, double length_s) {
  const double received = number(cell, "received");
  const double expected = number(cell, "sent") * number(cell, "subscribers");
  const double spread_ms = number(cell, "stddev_us") * 1e-3;
  const double cpu_us =
      number(cell, "publisher_cpu_us") * number(cell, "sent") + number(cell, "subscriber_cpu_us") * received;
  return fmt::format(
      "{:.3f},{:.3f},{:.0f},{:.0f},{:.0f},{:.6g},{:.0f},{:.6g},{:.6g},{:.6g},{:.6g},{:.0f},{:.2f},{},{},{},{}"
      ",{},{},{}\n",
      begin_s + length_s, length_s, received, number(cell, "sent"), number(cell, "lost"),
      expected > 0 ? number(cell, "lost") / expected : 0, received * number(cell, "payload_bytes"),
      number(cell, "min_us") * 1e-3, number(cell, "max_us") * 1e-3, number(cell, "mean_us") * 1e-3,
      spread_ms * spread_ms, number(cell, "rss_kib"), length_s > 0 ? cpu_us * 1e-4 / length_s : 0,
      cell.at("stack").get<std::string>(), cell.at("payload_bytes").get<std::uint32_t>(),
      cell.at("payload_mapping").get<std::string>(), cell.at("subscribers").get<std::uint32_t>(),
      cell.at("rate_hz").get<double>(), cell.at("saturated").get<bool>() ? 1 : 0,
      cell.at("mode").get<std::string>());
}

}  // namespace

std::string performance_test_csv(const Json& results) {
  std::string text = kColumns;
  double at_s = 0;
  for (const auto& cell : results.at("cells")) {
    if (cell.at("achieved_rate_hz").is_null()) continue;
    const double length_s = number(cell, "sent") / number(cell, "achieved_rate_hz");
    text += row_of(cell, at_s, length_s);
    at_s += length_s;
  }
  return text;
}

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#include "lab/common/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "lab/comm/cell.hpp"
#include "lab/comm/experiment.hpp"
#include "lab/comm/predictions.hpp"
#include "lab/comm/published.hpp"
#include "lab/comm/tables.hpp"
#include "lab/common/files.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

Tone tone_of(const Json& cell) {
  const auto stack = cell.at("stack").get<std::string>();
  const auto* facts = find_stack(stack);
  if (stack.starts_with("takt")) return Tone::good;
  return facts != nullptr && facts->floor ? Tone::neutral : Tone::bad;
}

/// The payloads that occur, in order.
std::vector<std::string> payloads_of(const Cells& cells) {
  std::vector<std::string> texts;
  for (const auto& cell : cells) {
    if (std::ranges::find(texts, payload_text(cell)) == texts.end()) texts.push_back(payload_text(cell));
  }
  return texts;
}

/// Mean over subscribers, a line for each stack.
Chart lines_of(const Cells& cells, const std::string& payload) {
  Chart chart{.kind = Chart::Kind::lines,
              .title = payload + ": mean by subscribers",
              .quantity = "mean, us",
              .along = "subscribers"};
  for (const auto& cell : cells) {
    if (payload_text(cell) != payload || cell.at("mean_us").is_null()) continue;
    const auto stack = cell.at("stack").get<std::string>();
    auto series = std::ranges::find(chart.series, stack, &Series::label);
    if (series == chart.series.end()) {
      chart.series.push_back({.label = stack, .tone = tone_of(cell)});
      series = std::prev(chart.series.end());
    }
    series->values.push_back(cell.at("mean_us").get<double>());
    series->at_s.push_back(cell.at("subscribers").get<double>());
  }
  return chart;
}

std::vector<double> latencies_of(const Json& cell, const std::filesystem::path& folder) {
  if (cell.at("raw_file").is_null()) return {};
  auto file = open_if_there(folder / cell.at("raw_file").get<std::string>());
  if (!file) return {};
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return latencies_of_npy(text);
}

Chart spread_of(const Cells& cells, const std::string& payload, std::uint32_t subscribers,
                const std::filesystem::path& folder) {
  Chart chart{
      .title = fmt::format("{}, {} subscribers: how often a message takes how long", payload, subscribers),
      .quantity = "latency, us"};
  for (const auto& cell : cells) {
    if (payload_text(cell) != payload || cell.at("subscribers") != subscribers) continue;
    auto values = latencies_of(cell, folder);
    if (values.empty()) continue;
    chart.series.push_back(
        {.label = cell.at("stack").get<std::string>(), .values = std::move(values), .tone = tone_of(cell)});
  }
  return chart;
}

void add_charts(Report& report, const Cells& cells, const std::filesystem::path& folder) {
  const auto add = [&](const Chart& chart) {
    if (!chart.series.empty()) report.chart(chart);
  };
  for (const auto& payload : payloads_of(cells)) {
    std::vector<std::uint32_t> counts;
    for (const auto& cell : cells) counts.push_back(cell.at("subscribers").get<std::uint32_t>());
    const auto [fewest, most] = std::ranges::minmax(counts);
    if (most != fewest) add(lines_of(cells, payload));
    add(spread_of(cells, payload, fewest, folder));
    if (most != fewest) add(spread_of(cells, payload, most, folder));
  }
}

Table noise_table(const Json& results) {
  Table table{.title = "The floor against itself: mean, second time / first",
              .columns = {{"payload"}, {"N"}, {"ratio"}, {"interval"}},
              .note = "Where it differs by more than 1.25 times, nothing is judged."};
  for (const auto& row : results.at("noise")) {
    table.rows.push_back({payload_text(row), std::to_string(row.at("subscribers").get<int>()),
                          figure_text(row, "ratio", 2),
                          fmt::format("[{}, {}]", figure_text(row, "low", 2), figure_text(row, "high", 2))});
  }
  return table;
}

Table settings_table(const Json& results) {
  Table table{.columns = {{"what", Align::left}, {"value", Align::left}}};
  for (const auto& [key, value] : results.at("plan").items()) {
    if (key != "machine")
      table.rows.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return table;
}

}  // namespace

std::string report_html(const Json& results, const Plan& plan, const Environment& environment,
                        const std::filesystem::path& folder) {
  const Cells cells = results.at("cells");
  Report report(
      "Messages between processes",
      fmt::format("takt lab comm, stage {}, {}, {}{}", results.at("plan").at("stage").get<std::string>(),
                  results.at("plan").at("mode") == kRoundTrip ? "round trips" : "one way",
                  results.at("started_at").get<std::string>(),
                  results.at("partial").get<bool>() ? ", not finished" : ""));
  report.verdict(verdict_sentence(results), Tone::neutral);
  for (const auto& warning : results.at("warnings")) report.paragraph("Note: " + warning.get<std::string>());
  report.heading("Predictions");
  report.paragraph("Said before anything was measured; plan.json was written then.");
  report.table(claims_table(plan));
  report.table(table_of(check(claims_about(plan), cells)));
  report.heading("Latency");
  if (!cells.empty()) {
    report.table(matrix_table(cells));
    add_charts(report, cells, folder);
    report.heading("Layers");
    report.table(layers_table(cells));
    report.heading("All figures, CPU and memory beside latency");
    report.table(cells_table(cells));
  }
  if (!results.at("noise").empty()) report.table(noise_table(results));
  report.heading("Published figures");
  report.paragraph("Of other machines, for orientation: no cell is compared with them.");
  for (const auto& table : published_tables()) report.table(table);
  report.heading("Settings and machine");
  report.table(settings_table(results));
  report.environment(environment);
  report.command(shell_line(results.at("command").get<std::vector<std::string>>()));
  report.files({"plan.json", "results.json", "comm.csv"});
  return report.html();
}

}  // namespace takt::lab::comm

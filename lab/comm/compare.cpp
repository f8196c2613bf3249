// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/comm/experiment.hpp"
#include "lab/comm/tables.hpp"
#include "lab/common/errors.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

bool same_cell(const Json& a, const Json& b) { return a.at("stack") == b.at("stack") && same_point(a, b); }

const Json* counterpart(const Json& results, const Json& cell) {
  const auto& cells = results.at("cells");
  const auto found = std::ranges::find_if(cells, [&](const Json& other) { return same_cell(cell, other); });
  return found == cells.end() ? nullptr : &*found;
}

/// Settings and machine: what a difference between two figures may come from.
Json setting_of(const Json& results) {
  Json setting = results.at("plan");
  for (const auto* key : {"governor", "virtualization", "preemption", "compiler"})
    setting[key] = results.at("environment").at(key);
  return setting;
}

Json figures_of(const std::vector<Json>& results, const Json& cell) {
  Json row = {{"stack", cell.at("stack")},
              {"payload_bytes", cell.at("payload_bytes")},
              {"payload_mapping", cell.at("payload_mapping")},
              {"subscribers", cell.at("subscribers")},
              {"mean_us", Json::array()},
              {"p99_us", Json::array()},
              {"lost", Json::array()},
              {"standing", Json::array()}};
  for (const auto& one : results) {
    const auto* found = counterpart(one, cell);
    for (const auto* key : {"mean_us", "p99_us", "lost"})
      row[key].push_back(found == nullptr ? Json() : found->at(key));
    const bool judged = found != nullptr && !found->at("takt").is_null();
    row["standing"].push_back(judged ? found->at("takt").at("standing") : Json());
  }
  return row;
}

/// Rows where every run has a standing, and those of them where all have the same.
Json agreement_of(const Json& rows) {
  int compared = 0;
  int same = 0;
  for (const auto& row : rows) {
    const auto& standings = row.at("standing");
    if (std::ranges::any_of(standings, [](const Json& standing) { return standing.is_null(); })) continue;
    ++compared;
    if (std::ranges::all_of(standings, [&](const Json& standing) { return standing == standings.front(); }))
      ++same;
  }
  return {{"compared", compared}, {"same", same}};
}

Table runs_table(const Json& document) {
  Table table{.title = "Runs",
              .columns = {{"", Align::left},
                          {"started", Align::left},
                          {"stage", Align::left},
                          {"machine", Align::left},
                          {"takt", Align::left}}};
  for (const auto& run : document.at("runs")) {
    const auto& machine = run.at("plan").at("machine");
    table.rows.push_back({run.at("folder").get<std::string>(), run.at("started_at").get<std::string>(),
                          run.at("plan").at("stage").get<std::string>(),
                          fmt::format("{}, {}", machine.at("cpu_model").get<std::string>(),
                                      machine.at("kernel").get<std::string>()),
                          machine.at("takt_version").get<std::string>()});
  }
  return table;
}

std::string number_text(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:.1f}", value.get<double>());
}

Table compared_table(const Json& document) {
  Table table{.title = "Mean / p99, us; takt's standing",
              .columns = {{"payload"}, {"N"}, {"stack", Align::left}}};
  for (const auto& run : document.at("runs")) {
    table.columns.push_back({run.at("folder").get<std::string>()});
    table.columns.push_back({"", Align::left});
  }
  for (const auto& row : document.at("cells")) {
    std::vector<std::string> texts = {payload_text(row), std::to_string(row.at("subscribers").get<int>()),
                                      row.at("stack").get<std::string>()};
    for (std::size_t i = 0; i < row.at("mean_us").size(); ++i) {
      texts.push_back(
          fmt::format("{} / {}", number_text(row.at("mean_us")[i]), number_text(row.at("p99_us")[i])));
      const auto& standing = row.at("standing")[i];
      texts.push_back(standing.is_null() ? "" : standing.get<std::string>());
    }
    table.rows.push_back(std::move(texts));
  }
  return table;
}

}  // namespace

Json compare(const std::vector<std::string>& names, const std::vector<Json>& results) {
  Json runs = Json::array();
  Json different = Json::array();
  Json cells = Json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& one = results[i];
    runs.push_back({{"folder", names[i]},
                    {"started_at", one.at("started_at")},
                    {"partial", one.at("partial")},
                    {"plan", one.at("plan")},
                    {"environment", one.at("environment")}});
    if (i > 0) {
      different.push_back(
          {{"folder", names[i]}, {"what", differences(setting_of(results.front()), setting_of(one))}});
    }
    for (const auto& cell : one.at("cells")) {
      const auto known = [&](const Json& row) { return same_cell(row, cell); };
      if (std::ranges::none_of(cells, known)) cells.push_back(figures_of(results, cell));
    }
  }
  auto agreement = agreement_of(cells);
  return {{"schema_version", kSchemaVersion},
          {"runs", std::move(runs)},
          {"differences", std::move(different)},
          {"cells", std::move(cells)},
          {"standings", std::move(agreement)}};
}

}  // namespace takt::lab::comm

namespace takt::lab {

CLI::App* add_compare(CLI::App& parent, CompareOptions& options) {
  auto* command =
      parent.add_subcommand("compare", "Results of takt lab comm side by side, and what differs in them");
  command->add_option("DIR", options.folders, "Two or more folders of results")->required()->expected(2, 100);
  command->add_flag("--json", options.json, "The comparison on stdout, as JSON");
  return command;
}

int run_compare(const CompareOptions& options, Console& console) {
  using namespace comm;
  std::vector<nlohmann::ordered_json> results;
  for (const auto& folder : options.folders)
    results.push_back(read_document(std::filesystem::path(folder) / "results.json"));
  nlohmann::ordered_json document;
  try {
    document = comm::compare(options.folders, results);
  } catch (const nlohmann::json::exception& error) {
    throw CannotMeasure(std::string("one of them is not what takt lab comm writes: ") + error.what(),
                        "name folders of takt lab comm");
  }
  console.print(runs_table(document));
  for (const auto& one : document.at("differences")) {
    const auto what = one.at("what").get<std::vector<std::string>>();
    console.print(fmt::format(
        "{} (here) and {} (there): {}", one.at("folder").get<std::string>(), options.folders.front(),
        what.empty() ? "same settings and machine" : fmt::format("{}", fmt::join(what, "; "))));
  }
  console.print(compared_table(document));
  const auto& standings = document.at("standings");
  console.print(fmt::format("The same standing in {} of {} cells that all have judged.",
                            standings.at("same").get<int>(), standings.at("compared").get<int>()));
  console.document(document);
  return kDone;
}

}  // namespace takt::lab

// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lab/comm/predictions.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/files.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Throws when a document lacks what this version writes.
template <class Body>
auto of_document(const fs::path& file, Body body) {
  try {
    return body();
  } catch (const nlohmann::json::exception& error) {
    throw CannotMeasure(fmt::format("{} is not what takt lab comm writes: {}", file.string(), error.what()),
                        "name another folder");
  }
}

}  // namespace

std::size_t Experiment::points_done() const {
  return plan.stacks.empty() ? 0 : cells.size() / plan.stacks.size();
}

Json machine_of(const Environment& environment) {
  return {{"kernel", environment.kernel},
          {"cpu_model", environment.cpu_model},
          {"cpus_online", environment.cpus_online},
          {"takt_version", environment.takt_version}};
}

Json read_document(const fs::path& file) {
  auto stream = open_if_there(file);
  if (!stream)
    throw CannotMeasure(file.string() + " cannot be read", "name a folder that takt lab comm has written");
  return of_document(file, [&] { return Json::parse(stream); });
}

void resume(Experiment& experiment, const fs::path& folder) {
  const auto plan_file = folder / "plan.json";
  if (!fs::exists(plan_file)) return;
  auto there = read_document(plan_file);
  if (there.is_object()) there.erase("predictions");  // they follow from the rest
  const auto different = differences(there, plan_json(experiment.plan, experiment.machine));
  if (!different.empty()) {
    throw CannotMeasure(
        fmt::format("{} holds a run of another plan: {}", folder.string(), fmt::join(different, "; ")),
        "name another folder with --out DIR, or remove that one");
  }
  const auto results_file = folder / "results.json";
  if (!fs::exists(results_file)) return;
  const auto results = read_document(results_file);
  of_document(results_file, [&] {
    for (const auto& cell : results.at("cells")) experiment.cells.push_back(cell);
    for (const auto& row : results.at("noise")) experiment.noise.push_back(row);
    experiment.envelope.started_at = results.at("started_at").get<std::string>();
    experiment.envelope.warnings = results.at("warnings").get<std::vector<std::string>>();
    return 0;
  });
  const auto whole = experiment.points_done();
  if (experiment.cells.size() != whole * experiment.plan.stacks.size() ||
      whole > experiment.plan.points().size())
    throw CannotMeasure(results_file.string() + " does not fit the plan beside it", "remove that folder");
}

void check_smoke(const std::string& folder, const Json& machine) {
  const std::string fix = "run takt lab comm --stage smoke --out DIR, then --stage full --smoke DIR";
  if (folder.empty())
    throw CannotMeasure("the full stage wants a clean smoke stage of this machine first", fix);
  const auto file = fs::path(folder) / "results.json";
  const auto results = read_document(file);
  of_document(file, [&] {
    if (results.at("plan").at("stage") != "smoke") throw CannotMeasure(folder + " holds no smoke stage", fix);
    if (results.at("partial").get<bool>())
      throw CannotMeasure("the smoke stage in " + folder + " is not whole", fix);
    const auto different = differences(results.at("plan").at("machine"), machine);
    if (!different.empty())
      throw CannotMeasure(
          fmt::format("the smoke stage is of another machine: {}", fmt::join(different, "; ")), fix);
    if (!results.at("warnings").empty()) {
      throw CannotMeasure(
          "the smoke stage has warnings: " + results.at("warnings").front().get<std::string>(), fix);
    }
    return 0;
  });
}

Json results_json(const Experiment& experiment) {
  return document(experiment.envelope,
                  {{"partial", !experiment.complete()},
                   {"plan", plan_json(experiment.plan, experiment.machine)},
                   {"noise", experiment.noise},
                   {"cells", experiment.cells},
                   {"predictions", predictions_json(experiment.plan, experiment.cells)}});
}

std::string verdict_sentence(const Json& results) {
  std::map<std::string, int> count;
  int judged_on = 0;
  std::string behind;
  for (const auto& cell : results.at("cells")) {
    if (cell.at("takt").is_null()) continue;
    ++judged_on;
    const auto standing = cell.at("takt").at("standing").get<std::string>();
    ++count[standing];
    if (standing != "behind") continue;
    behind +=
        fmt::format("{}{} at {} B with {}", behind.empty() ? "" : ", ", cell.at("stack").get<std::string>(),
                    cell.at("payload_bytes").get<int>(), cell.at("subscribers").get<int>());
  }
  if (judged_on == 0) return "Nothing to compare takt with was measured.";
  auto sentence =
      fmt::format("Of {} comparisons takt is ahead in {}, level in {}, behind in {}; {} are not judged.",
                  judged_on, count["ahead"], count["level"], count["behind"], count["not judged"]);
  if (!behind.empty()) sentence += " Behind: " + behind + ".";
  return sentence;
}

}  // namespace takt::lab::comm

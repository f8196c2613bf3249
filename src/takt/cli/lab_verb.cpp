// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/lab_verb.hpp"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "lab/comm/command.hpp"
#include "lab/comm/compare.hpp"
#include "lab/deadlines/command.hpp"
#include "lab/priority/command.hpp"

namespace takt::cli {
namespace {

constexpr const char* kExperimentExit =
    "Exit codes: 0 the experiment ran, whatever it found; 2 usage; 3 it could not measure (stderr says why, "
    "and how to mend it).";

int list_experiments(const CLI::App& lab) {
  std::cout << "Experiments:\n";
  for (const CLI::App* experiment : lab.get_subcommands([](const CLI::App*) { return true; })) {
    std::cout << fmt::format("  {:<12} {}\n", experiment->get_name(), experiment->get_description());
  }
  std::cout << "\nOptions of one: takt lab <experiment> --help\n";
  return 0;
}

/// Adds one experiment; its options live as long as the verb.
template <class Options>
Verb experiment(CLI::App& lab, CLI::App* (*add)(CLI::App&, Options&),
                int (*run)(const Options&, lab::Console&)) {
  auto options = std::make_shared<Options>();
  CLI::App* parser = add(lab, *options);
  parser->group("Experiments")->footer(kExperimentExit);
  return {parser, [options, run] {
            lab::Console console(options->json);
            return console.exit_code(run(*options, console));
          }};
}

}  // namespace

std::vector<Verb> add_lab(CLI::App& root) {
  CLI::App* lab =
      root.add_subcommand("lab", "run an experiment and write its report; alone: list the experiments");
  lab->require_subcommand(0, 1);
  lab->footer(
      "Each experiment writes its plan, raw data, results.json and a report.html that opens offline.");
  return {experiment(*lab, lab::add_priority, lab::run_priority),
          experiment(*lab, lab::add_deadlines, lab::run_deadlines),
          experiment(*lab, lab::add_comm, lab::run_comm),
          experiment(*lab, lab::add_compare, lab::run_compare),
          Verb{lab, [lab] { return list_experiments(*lab); }}};
}

}  // namespace takt::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/common/console.hpp"

namespace takt::lab {

/// `takt lab compare`, as the command line gives it.
struct CompareOptions {
  std::vector<std::string> folders;
  bool json = false;
};

CLI::App* add_compare(CLI::App& parent, CompareOptions& options);

/// Puts results of `takt lab comm` side by side. 0, or 3 when one cannot be read.
int run_compare(const CompareOptions& options, Console& console);

namespace comm {

/// `names[k]` is where `results[k]` is from. The document (docs/formats/lab-compare.schema.json): runs, what
/// differs from the first one, the cells that any of them has, and how many standings are the same.
nlohmann::ordered_json compare(const std::vector<std::string>& names,
                               const std::vector<nlohmann::ordered_json>& results);

}  // namespace comm
}  // namespace takt::lab

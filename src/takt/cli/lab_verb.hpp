// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "takt/cli/verb.hpp"

namespace takt::cli {

/// `takt lab` and one verb below it for each experiment.
std::vector<Verb> add_lab(CLI::App& root);

}  // namespace takt::cli

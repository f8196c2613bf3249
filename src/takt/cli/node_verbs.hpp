// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "takt/cli/verb.hpp"

namespace takt::cli {

/// `takt node` with `list` and `info`.
std::vector<Verb> add_node(CLI::App& root);

}  // namespace takt::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "takt/cli/verb.hpp"

namespace takt::cli {

/// `takt status`: what runs on this host.
std::vector<Verb> add_status(CLI::App& root);

}  // namespace takt::cli

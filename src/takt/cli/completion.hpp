// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "takt/cli/verb.hpp"

namespace takt::cli {

/// `takt completion bash|zsh`.
std::vector<Verb> add_completion(CLI::App& root);

/// The script for a shell that completes verbs, options and their choices from the parser's tree, and names
/// of topics and nodes by asking takt.
std::string completion_script(const CLI::App& root, const std::string& shell);

}  // namespace takt::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace takt::cli {

/// The whole command: parses the words after "takt", runs the verb, and returns the exit code. What goes
/// wrong is one line on stderr, and nothing more on stdout; does not throw.
int run(const std::vector<std::string>& words);

}  // namespace takt::cli

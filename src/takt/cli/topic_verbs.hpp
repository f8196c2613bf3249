// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "takt/cli/verb.hpp"

namespace takt::cli {

/// `takt topic` and the verbs below it.
std::vector<Verb> add_topic(CLI::App& root);

// Each in its own file.
Verb add_topic_list(CLI::App& topic);
Verb add_topic_info(CLI::App& topic);
Verb add_topic_echo(CLI::App& topic);
Verb add_topic_hz(CLI::App& topic);
Verb add_topic_bw(CLI::App& topic);
Verb add_topic_delay(CLI::App& topic);
Verb add_topic_pub(CLI::App& topic);

}  // namespace takt::cli

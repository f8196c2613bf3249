// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/topic_verbs.hpp"

#include <iostream>

#include "lab/common/errors.hpp"

namespace takt::cli {

std::vector<Verb> add_topic(CLI::App& root) {
  CLI::App* topic = root.add_subcommand("topic", "look at topics, read them, publish");
  topic->require_subcommand(0, 1);
  topic->footer("Example: takt topic echo /chatter --once");
  std::vector<Verb> verbs{add_topic_list(*topic), add_topic_info(*topic), add_topic_echo(*topic),
                          add_topic_hz(*topic),   add_topic_bw(*topic),   add_topic_delay(*topic),
                          add_topic_pub(*topic)};
  verbs.push_back({topic, [topic] {
                     std::cerr << topic->help();
                     return lab::kUsage;
                   }});
  return verbs;
}

}  // namespace takt::cli

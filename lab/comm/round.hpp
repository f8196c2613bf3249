// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/comm/stage.hpp"

namespace takt::lab::comm {

/// A stack that can be measured: "takt", "takt-poll", "futex", "futex-bells", "iceoryx" ...
struct StackName {
  std::string name;
  std::string program;  ///< of its runner, beside this one
  bool poll = false;
};

/// Those whose runner was built. Errors: SetupError for a name that is no stack's.
std::vector<StackName> stacks_of(const std::vector<std::string>& names);
std::vector<std::string> all_stacks();

struct RoundResult {
  std::vector<double> latency_us;  ///< of every message at every reader
  std::vector<double> publish_us;
  double delivered = 0;  ///< share of the messages that all readers should have had
};

/// One round: a sender and readers in processes of their own. Errors: SetupError when a runner fails or does
/// not come to an end; its stderr says why.
RoundResult run_round(const StackName& stack, Cell cell);

}  // namespace takt::lab::comm

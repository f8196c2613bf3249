// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/comm/stage.hpp"
#include "takt/core/error.hpp"

namespace takt::lab::comm {

/// One stack, as a runner program implements it: each end is a process of its own.
struct Stack {
  /// Reads until stage.over: ++stage.ready once it is prepared, then record() for each message.
  std::function<void(Stage& stage, std::size_t reader)> be_reader;

  /// What a sender calls to send message `index`; it stamps the message when it is called. Returned once all
  /// readers are connected.
  using Send = std::function<void(std::uint64_t index)>;
  std::function<void(Stage& stage, const std::function<void(const Send&)>& while_connected)> be_sender;
};

/// Calls use(std::integral_constant<std::size_t, bytes>()) with the size that the cell asks for. Errors:
/// SetupError for one that there is no message of.
template <class Use>
void with_size(const Stage& stage, Use use) {
  switch (stage.cell.size) {
    case 64:
      return use(std::integral_constant<std::size_t, 64>());
    case 4096:
      return use(std::integral_constant<std::size_t, 4096>());
    case 65'536:
      return use(std::integral_constant<std::size_t, 65'536>());
    case 1'048'576:
      return use(std::integral_constant<std::size_t, 1'048'576>());
    default:
      throw SetupError("no message has " + std::to_string(stage.cell.size) + " bytes",
                       "use 64, 4096, 65536 or 1048576");
  }
}

/// The main function of a runner: `<program> reader <number> <fd>` or `<program> sender <fd>`, where fd is
/// the Stage's. Exit code 0, or 3 with the reason on stderr.
int run_stack(int argc, char** argv, const Stack& stack);

/// The sender's place among the ends of a round; reader i is i.
inline constexpr int kSender = -1;
/// Cores of an end, as stage.cell asks; empty: any.
std::vector<int> cpus_of(const Stage& stage, int end);
/// Scheduling and cores as stage.cell asks.
void schedule_this_thread(const Stage& stage, int end);

}  // namespace takt::lab::comm

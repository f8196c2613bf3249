// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "lab/comm/stage.hpp"
#include "takt/core/error.hpp"

namespace takt::lab::comm {

/// History of every stack that keeps one.
inline constexpr std::size_t kDepth = 16;

/// One stack, as a runner program implements it: each end is a process of its own.
struct Stack {
  /// Reads until stage.over: ++stage.ready once it is prepared, then record() for each message.
  std::function<void(Stage& stage, std::size_t reader)> be_reader;

  /// What a sender calls to send message `index`; it stamps the message when it is called. Returned once all
  /// readers are connected.
  using Send = std::function<void(std::uint64_t index)>;
  std::function<void(Stage& stage, const std::function<void(const Send&)>& while_connected)> be_sender;
};

/// Calls use(std::integral_constant<std::size_t, bytes>()) with the payload that the round asks for. Errors:
/// SetupError for one that there is no message of.
template <class Use>
void with_size(const Stage& stage, Use use) {
  const auto if_it_is = [&](auto size) {
    if (stage.round.size != size()) return false;
    use(size);
    return true;
  };
  const auto any_of = [&]<std::size_t... kSizes>(std::index_sequence<kSizes...>) {
    return (if_it_is(std::integral_constant<std::size_t, kSizes>()) || ...);
  };
  if (!any_of(std::index_sequence<8, 64, 256, 1024, 4096, 16'384, 65'536, 262'144, 1'048'576>())) {
    throw SetupError("no message has a payload of " + std::to_string(stage.round.size) + " bytes",
                     "use one of the full stage");
  }
}

/// The main function of a runner: `<program> reader <number> <fd>` or `<program> sender <fd>`, where fd is
/// the Stage's. Exit code 0, or 3 with the reason in the stage.
int run_stack(int argc, char** argv, const Stack& stack);

/// Now, as a message carries it.
std::int64_t stamp_ns() noexcept;
/// Waits until every reader is ready: what a sender does whose stack does not tell it.
void wait_for_readers(const Stage& stage);
/// Scheduling as the round asks.
void schedule_this_thread(const Stage& stage);

}  // namespace takt::lab::comm

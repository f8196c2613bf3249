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

/// The two channels of a stack that gives them names. Answers are messages too.
inline constexpr const char* kMessages = "bytes";
inline constexpr const char* kAnswers = "answers";

/// Sends a message that has this index and this time of sending.
using SendAs = std::function<void(std::uint64_t index, std::int64_t sent_ns)>;

/// For a reader: a message has been received and read. It is recorded, in a round trip answered.
void received(Stage& stage, std::size_t reader, std::uint64_t index, std::int64_t sent_ns,
              const SendAs& answer);
/// For the sender: such an answer has been received and read.
void answered(Stage& stage, std::uint64_t index, std::int64_t sent_ns) noexcept;
/// Sends meanwhile; in a round trip take_answers() runs in a thread of its own until the stage is over.
void send_meanwhile(Stage& stage, const std::function<void()>& take_answers,
                    const std::function<void()>& send);

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
/// Sleeps until then.
void wait_until_over(const Stage& stage);
/// Scheduling as the round asks.
void schedule_this_thread(const Stage& stage);

}  // namespace takt::lab::comm

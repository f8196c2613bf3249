// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

/// SIGINT and SIGTERM. The handler only moves and wakes words of a fixed table, which is all that a handler
/// may do; the threads that wait on them do the rest. After the first signal the default action is back: a
/// second one ends the process.
namespace takt::signals {

/// Installs the handlers (once; later calls count) and from then on adds 1 to `word` at a signal. May block.
/// Errors: SetupError when more than 64 contexts do so.
void handle_for(std::atomic<std::uint32_t>& word);
/// The last one out puts the former handlers back.
void stop_handling_for(std::atomic<std::uint32_t>& word) noexcept;

/// A word of this process, or one that lies in memory which other processes share.
enum class Bell : std::uint8_t { of_the_process, of_the_host };

/// Words that are also moved and woken at a signal, so that who waits on them looks again. Any thread; may
/// block.
void add_bell(std::atomic<std::uint32_t>& bell, Bell kind = Bell::of_the_process);
void remove_bell(std::atomic<std::uint32_t>& bell) noexcept;

/// The last signal's number, 0 if none.
int last_signal() noexcept;

}  // namespace takt::signals

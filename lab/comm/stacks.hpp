// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace takt::lab::comm {

/// What setting up and ending a round takes, about: a process each, and where every end looks for every other
/// one, that many pairs.
struct SetUpCost {
  double fixed_ms = 0, reader_ms = 0, pair_ms = 0;
};

/// A stack that can be measured.
struct StackFacts {
  std::string_view name;       ///< "takt", "takt-poll", "futex-bells" ...
  std::string_view program;    ///< its runner, beside this one
  std::string_view path;       ///< how messages go: "shm", "socket", "dds" ...
  std::string_view what;       ///< in words, for reports
  std::string_view package{};  ///< to install, where the runner was not built; empty: takt's own
  SetUpCost cost{};
  bool poll = false;
  bool floor = false;  ///< no stack, but what the machine allows
  bool roudi = false;  ///< needs iceoryx's daemon
};

/// The floor that the others are compared with, and that is also run against itself.
inline constexpr std::string_view kBaseline = "futex-bells";

std::span<const StackFacts> all_stacks();
/// Null for a name that no stack has.
const StackFacts* find_stack(std::string_view name);
/// Those of the order that `takt lab comm` runs unless told.
std::vector<std::string> default_stacks();
/// The runner's path, and why it is not there: empty when it is.
std::filesystem::path runner_of(const StackFacts& stack);
std::string why_not_built(const StackFacts& stack);

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace takt::lab::comm {
namespace {

constexpr std::array kStacks = {
    StackFacts{"takt", "takt-comm-takt", "shm", "takt: publisher, loan, executor, callback", ""},
    StackFacts{"takt-poll", "takt-comm-takt", "shm", "the same, its executor polls", "", true},
    StackFacts{"takt-shm", "takt-comm-shm", "shm", "takt's transport without graph and executor", ""},
    StackFacts{"futex", "takt-comm-futex", "shm", "floor: one buffer, one futex for all readers", "", false,
               true},
    StackFacts{"futex-bells", "takt-comm-futex-bells", "shm", "floor: one buffer, a futex for each reader",
               "", false, true},
    StackFacts{"iceoryx", "takt-comm-iceoryx", "shm", "iceoryx: loaned samples, WaitSet",
               "libiceoryx-posh-dev"},
    StackFacts{"iceoryx-poll", "takt-comm-iceoryx", "shm", "the same, its reader polls",
               "libiceoryx-posh-dev", true},
    StackFacts{"cyclonedds", "takt-comm-cyclonedds", "dds", "Cyclone DDS on the loopback interface, waitset",
               "cyclonedds-dev and cyclonedds-tools"},
    StackFacts{"fastdds", "takt-comm-fastdds", "dds", "Fast DDS: shared memory, data sharing, WaitSet",
               "libfastrtps-dev"},
    StackFacts{"unix", "takt-comm-unix", "socket", "a seqpacket socket for each reader", ""},
    StackFacts{"udp", "takt-comm-udp", "socket", "UDP on the loopback interface", ""},
};

}  // namespace

std::span<const StackFacts> all_stacks() { return kStacks; }

const StackFacts* find_stack(std::string_view name) {
  const auto found = std::ranges::find(kStacks, name, &StackFacts::name);
  return found == kStacks.end() ? nullptr : &*found;
}

std::vector<std::string> default_stacks() {
  return {"takt",    "takt-poll",  "takt-shm", "futex", "futex-bells",
          "iceoryx", "cyclonedds", "fastdds",  "unix",  "udp"};
}

std::filesystem::path runner_of(const StackFacts& stack) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / stack.program;
}

std::string why_not_built(const StackFacts& stack) {
  std::error_code ignored;
  if (std::filesystem::exists(runner_of(stack), ignored)) return "";
  if (stack.package.empty()) return fmt::format("{} is not beside this program", stack.program);
  return fmt::format("{} was not built: install {} and build again", stack.program, stack.package);
}

}  // namespace takt::lab::comm

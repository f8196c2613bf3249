// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace takt::lab::comm {
namespace {

// Set-up costs: two cores of a virtual machine, 1 to 256 readers.
constexpr SetUpCost kPlain{.fixed_ms = 50, .reader_ms = 7};
constexpr SetUpCost kTakt{.fixed_ms = 80, .reader_ms = 15, .pair_ms = 0.2};
constexpr SetUpCost kIceoryx{.fixed_ms = 110, .reader_ms = 15};
constexpr SetUpCost kDds{.fixed_ms = 150, .reader_ms = 30, .pair_ms = 2};

constexpr std::array kStacks = {
    StackFacts{.name = "takt",
               .program = "takt-comm-takt",
               .path = "shm",
               .what = "takt: publisher, loan, executor, callback",
               .cost = kTakt},
    StackFacts{.name = "takt-poll",
               .program = "takt-comm-takt",
               .path = "shm",
               .what = "the same, its executor polls",
               .cost = kTakt,
               .poll = true},
    StackFacts{.name = "takt-shm",
               .program = "takt-comm-shm",
               .path = "shm",
               .what = "takt's transport without graph and executor",
               .cost = kPlain},
    StackFacts{.name = "futex",
               .program = "takt-comm-futex",
               .path = "shm",
               .what = "floor: one buffer, one futex for all readers",
               .cost = kPlain,
               .floor = true},
    StackFacts{.name = "futex-bells",
               .program = "takt-comm-futex-bells",
               .path = "shm",
               .what = "floor: one buffer, a futex for each reader",
               .cost = kPlain,
               .floor = true},
    StackFacts{.name = "iceoryx",
               .program = "takt-comm-iceoryx",
               .path = "shm",
               .what = "iceoryx: loaned samples, WaitSet",
               .package = "libiceoryx-posh-dev",
               .cost = kIceoryx,
               .roudi = true},
    StackFacts{.name = "iceoryx-poll",
               .program = "takt-comm-iceoryx",
               .path = "shm",
               .what = "the same, its reader polls",
               .package = "libiceoryx-posh-dev",
               .cost = kIceoryx,
               .poll = true,
               .roudi = true},
    StackFacts{.name = "cyclonedds",
               .program = "takt-comm-cyclonedds",
               .path = "dds",
               .what = "Cyclone DDS on the loopback interface, waitset",
               .package = "cyclonedds-dev and cyclonedds-tools",
               .cost = kDds},
    StackFacts{.name = "cyclonedds-iceoryx",
               .program = "takt-comm-cyclonedds-iceoryx",
               .path = "shm",
               .what = "Cyclone DDS over iceoryx: loaned samples, waitset",
               .package = "cyclonedds-dev and cyclonedds-tools",
               .cost = kDds,
               .roudi = true},
    StackFacts{.name = "fastdds",
               .program = "takt-comm-fastdds",
               .path = "dds",
               .what = "Fast DDS: shared memory, data sharing, WaitSet",
               .package = "libfastrtps-dev",
               .cost = kDds},
    StackFacts{.name = "unix",
               .program = "takt-comm-unix",
               .path = "socket",
               .what = "a seqpacket socket for each reader",
               .cost = kPlain},
    StackFacts{.name = "udp",
               .program = "takt-comm-udp",
               .path = "socket",
               .what = "UDP on the loopback interface",
               .cost = kPlain},
};

}  // namespace

std::span<const StackFacts> all_stacks() { return kStacks; }

const StackFacts* find_stack(std::string_view name) {
  const auto found = std::ranges::find(kStacks, name, &StackFacts::name);
  return found == kStacks.end() ? nullptr : &*found;
}

std::vector<std::string> default_stacks() {
  return {"takt",       "takt-poll",          "takt-shm", "futex", "futex-bells", "iceoryx",
          "cyclonedds", "cyclonedds-iceoryx", "fastdds",  "unix",  "udp"};
}

std::filesystem::path runner_of(const StackFacts& stack) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto installed = folder.parent_path() / "libexec/takt" / stack.program;
  std::error_code ignored;
  return std::filesystem::exists(installed, ignored) ? installed : folder / stack.program;
}

std::string why_not_built(const StackFacts& stack) {
  std::error_code ignored;
  if (std::filesystem::exists(runner_of(stack), ignored)) return "";
  if (stack.package.empty()) return fmt::format("{} is not beside this program", stack.program);
  return fmt::format("{} was not built: install {} and build again", stack.program, stack.package);
}

}  // namespace takt::lab::comm

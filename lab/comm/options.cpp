// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <vector>

#include "lab/comm/command.hpp"
#include "lab/comm/plan.hpp"
#include "lab/comm/stacks.hpp"
#include "lab/comm/stage.hpp"
#include "lab/common/options.hpp"

namespace takt::lab {
namespace {

constexpr double kLongestCell = 600;
constexpr double kHighestRate = 100'000;

std::vector<std::string> names_of_stacks() {
  std::vector<std::string> names;
  for (const auto& stack : comm::all_stacks()) names.emplace_back(stack.name);
  return names;
}

}  // namespace

CLI::App* add_comm(CLI::App& parent, CommOptions& options) {
  auto* command = parent.add_subcommand(
      "comm", "Messages between processes of this host: takt beside bare futexes, sockets, iceoryx and DDS");
  using namespace comm;
  const auto most_subscribers = static_cast<long long>(kMostReaders);
  command
      ->add_option("--stage", options.stage,
                   "Which part of the matrix: smoke (set-up), fanout, coarse, full, stress (limits)")
      ->check(CLI::IsMember({"smoke", "fanout", "coarse", "full", "stress"}))
      ->capture_default_str();
  command
      ->add_option("--stacks", options.stacks,
                   fmt::format("Of {} (default: all but iceoryx-poll)", fmt::join(names_of_stacks(), ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(names_of_stacks()));
  command->add_option("--payload", options.payloads, "Bytes, instead of those of the stage")
      ->delimiter(',')
      ->check(CLI::IsMember(matrix_of("full").payloads));
  command->add_option("--subscribers", options.subscribers, "How many, instead of those of the stage")
      ->delimiter(',')
      ->check(whole_number(1, most_subscribers));
  command->add_option("--rate", options.rate_hz, "Messages a second")
      ->check(CLI::Range(1.0, kHighestRate))
      ->capture_default_str();
  command
      ->add_option("--seconds", options.seconds,
                   "Of each stack in each cell, all rounds together (default: 1.5 for coarse, else 5)")
      ->check(seconds_up_to(kLongestCell));
  command->add_option("--rounds", options.rounds, "Interleaved rounds; fewer than 9 are not judged")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command->add_option("--load", options.load, "What fills every core meanwhile")
      ->check(CLI::IsMember({"none", "stress-ng"}))
      ->capture_default_str();
  command->add_option("--rt-priority", options.priority, "SCHED_FIFO priority of all ends (default: none)")
      ->check(whole_number(1, 98));
  command->add_flag("--roundtrip", options.round_trip,
                    "Readers answer each message; measured until the sender has the answer");
  command->add_flag("--keep-awake", options.keep_awake,
                    "Keep idle cores from halting (said with every figure)");
  command
      ->add_option("--smoke", options.smoke,
                   "Folder of a clean smoke stage of this machine, which full wants")
      ->check(folder_name());
  command
      ->add_option(
          "--out", options.out,
          "Folder for plan, raw data, results and report (default: reports/comm-<time>); an unfinished "
          "run of the same plan in it goes on")
      ->check(folder_name());
  command->add_flag("--json", options.json, "Only the results on stdout, as JSON");
  return command;
}

}  // namespace takt::lab

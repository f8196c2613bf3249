// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/runner.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "takt/core/error.hpp"
#include "takt/core/scheduling.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

Stage& map_stage(const std::string& descriptor) {
  void* memory = ::mmap(nullptr, sizeof(Stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        std::stoi(descriptor), 0);
  if (memory == MAP_FAILED) throw SetupError("the stage cannot be mapped", "start it from the laboratory");
  return *static_cast<Stage*>(memory);
}

/// Sends all messages at the rate asked for; what sending one costs is written down.
void send_all(Stage& stage, const Stack::Send& send) {
  auto& clock = *SteadyClock::instance();
  const auto& cell = stage.cell;
  schedule_this_thread(stage, kSender);
  auto next = clock.steady_now() + 5ms;
  for (std::uint64_t i = 0; i < cell.warmup + cell.samples; ++i) {
    next += Duration{cell.period_ns};
    clock.sleep_until(next);
    const auto start = clock.steady_now();
    send(i);
    const auto cost = to_us(clock.steady_now() - start);
    if (i >= cell.warmup) stage.publish_us[i - cell.warmup] = static_cast<float>(cost);
  }
}

int run(const std::vector<std::string>& words, const Stack& stack) {
  if (words.size() == 3 && words[0] == "reader") {
    auto& stage = map_stage(words[2]);
    stack.be_reader(stage, std::stoul(words[1]));
    return 0;
  }
  if (words.size() == 2 && words[0] == "sender") {
    auto& stage = map_stage(words[1]);
    stack.be_sender(stage, [&](const Stack::Send& send) { send_all(stage, send); });
    return 0;
  }
  std::cerr << "a runner of the laboratory: reader <number> <fd> | sender <fd>\n";
  return 2;
}

}  // namespace

std::vector<int> cpus_of(const Stage& stage, int end) {
  static const auto allowed = this_thread_state().cpus;
  if (!stage.cell.pin || allowed.size() < 2) return {};
  if (end == kSender) return {allowed.front()};
  return {allowed[1 + static_cast<std::size_t>(end) % (allowed.size() - 1)]};
}

void schedule_this_thread(const Stage& stage, int end) {
  ThreadOptions options;
  if (stage.cell.fifo > 0) options.scheduling = Fifo{stage.cell.fifo};
  options.cpus = cpus_of(stage, end);
  apply_to_this_thread(options);
}

int run_stack(int argc, char** argv, const Stack& stack) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives the laboratory
  try {
    return run({argv + 1, argv + argc}, stack);
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
    return 3;
  }
}

}  // namespace takt::lab::comm

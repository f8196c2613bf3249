// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/runner.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/scheduling.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

Stage& map_stage(const std::string& descriptor) {
  const int fd = std::stoi(descriptor);
  struct stat file {};
  if (::fstat(fd, &file) != 0) throw SetupError("there is no stage", "start it from the laboratory");
  void* memory =
      ::mmap(nullptr, static_cast<std::size_t>(file.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) throw SetupError("the stage cannot be mapped", "start it from the laboratory");
  return *static_cast<Stage*>(memory);
}

/// Written now, not while it is measured.
void touch(std::span<float> values) { std::ranges::fill(values, 0.0F); }

void enter(Stage& stage, Stage::Phase phase) {
  stage.phase.store(phase);
  futex::wake_shared(stage.phase, std::numeric_limits<int>::max());
}

constexpr auto kCatchUp =
    20ms;  // a core that slept at the end of the round is not a rate that cannot be held
constexpr std::int64_t kLongestBurst =
    kDepth / 2;  // a longer one asks for nothing but the depth of histories

/// Sends at the rate asked for, until all is sent or its time is over: a sender that is a little late catches
/// up, one that is later or stays late sends fewer. What sending one costs is written down. `index` is that
/// of the next message.
void send_round(Stage& stage, const Stack::Send& send, std::uint64_t& index) {
  auto& clock = *SteadyClock::instance();
  const auto& round = stage.round;
  const auto costs = stage.publish_us();
  stage.first.store(index + round.warmup);
  auto next = clock.steady_now() + 5ms;
  const auto one = [&] {
    const Duration period{round.period_ns};
    next += period;
    if (const auto late = (clock.steady_now() - next) / period; late >= kLongestBurst) next += late * period;
    clock.sleep_until(next);
    const auto start = clock.steady_now();
    send(index++);
    return to_us(clock.steady_now() - start);
  };
  for (std::uint64_t i = 0; i < round.warmup; ++i) one();
  next = std::max(next, clock.steady_now());
  enter(stage, Stage::kMeasuring);
  const auto begin = next;
  const auto end = begin + Duration{round.period_ns} * std::int64_t{round.samples} + kCatchUp;
  std::uint32_t sent = 0;
  while (sent < round.samples && clock.steady_now() < end) costs[sent++] = static_cast<float>(one());
  stage.sending_ns.store(std::max(clock.steady_now() - begin, Duration{round.period_ns} * sent).count());
  stage.sent.store(sent);
  enter(stage, Stage::kSent);
}

void send_rounds(Stage& stage, const Stack::Send& send) {
  touch(stage.publish_us());
  schedule_this_thread(stage);
  std::uint64_t index = 0;
  for (std::uint32_t done = 0; !stage.over.load();) {
    if (stage.turn.load() == done) {
      futex::wait_shared(stage.turn, done, kNever);
      continue;
    }
    ++done;
    send_round(stage, send, index);
  }
}

int run_end(const std::vector<std::string>& words, const Stack& stack, Stage*& stage) {
  if (words.size() == 3 && words[0] == "reader") {
    stage = &map_stage(words[2]);
    const auto reader = std::stoul(words[1]);
    touch(stage->latency_us(reader));
    stack.be_reader(*stage, reader);
    return 0;
  }
  if (words.size() == 2 && words[0] == "sender") {
    stage = &map_stage(words[1]);
    stack.be_sender(*stage, [&](const Stack::Send& send) { send_rounds(*stage, send); });
    return 0;
  }
  std::cerr << "a runner of the laboratory: reader <number> <fd> | sender <fd>\n";
  return 2;
}

void tell_reason(Stage* stage, std::string_view program, std::string_view reason) {
  if (stage == nullptr) {
    std::cerr << program << ": " << reason << '\n';
  } else if (!stage->reason_taken.exchange(true)) {
    std::ranges::copy(reason.substr(0, stage->reason.size() - 1), stage->reason.begin());
  }
}

}  // namespace

std::int64_t stamp_ns() noexcept { return SteadyClock::instance()->steady_now().time_since_epoch().count(); }

namespace {
constexpr unsigned kReaderShift = 48;  // an answer's index says who gives it
}

void received(Stage& stage, std::size_t reader, std::uint64_t index, std::int64_t sent_ns,
              const SendAs& answer) {
  if (stage.round.round_trip) {
    answer(index | std::uint64_t{reader} << kReaderShift, sent_ns);
  } else {
    record(stage, reader, index, sent_ns);
  }
}

void answered(Stage& stage, std::uint64_t index, std::int64_t sent_ns) noexcept {
  const auto reader = index >> kReaderShift;
  if (reader < stage.round.readers)
    record(stage, reader, index & ((std::uint64_t{1} << kReaderShift) - 1), sent_ns);
}

void send_meanwhile(Stage& stage, const std::function<void()>& take_answers,
                    const std::function<void()>& send) {
  if (!stage.round.round_trip) return send();
  std::thread taker([&] {
    schedule_this_thread(stage);
    take_answers();
  });
  try {
    send();
  } catch (...) {
    stage.over.store(true);
    taker.join();
    throw;
  }
  taker.join();
}

void wait_for_readers(const Stage& stage) {
  while (stage.ready.load() < stage.round.readers && !stage.over.load()) std::this_thread::sleep_for(1ms);
}

void wait_until_over(const Stage& stage) {
  for (auto seen = stage.turn.load(); !stage.over.load(); seen = stage.turn.load())
    futex::wait_shared(stage.turn, seen, kNever);
}

void schedule_this_thread(const Stage& stage) {
  ThreadOptions options;
  if (stage.round.fifo > 0) options.scheduling = Fifo{stage.round.fifo};
  apply_to_this_thread(options);
}

int run_stack(int argc, char** argv, const Stack& stack) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives the laboratory
  std::signal(SIGINT, SIG_IGN);        // Ctrl-C is the laboratory's: it ends the round
  Stage* stage = nullptr;
  try {
    return run_end({argv + 1, argv + argc}, stack, stage);
  } catch (const std::exception& error) {
    tell_reason(stage, argv[0], error.what());
    return 3;
  }
}

}  // namespace takt::lab::comm

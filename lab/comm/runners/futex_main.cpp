// SPDX-License-Identifier: Apache-2.0
// The floors: one buffer in shared memory, and a futex word for all readers (broadcast) or one for each
// (bells). They tear and lose messages, keep no history and know no dead reader.
#include <limits>
#include <string_view>
#include <vector>

#include "lab/comm/runner.hpp"
#include "takt/core/futex.hpp"

namespace takt::lab::comm {
namespace {

void wake(Stage& stage, bool broadcast) {
  if (broadcast) {
    stage.broadcast.value.fetch_add(1);
    if (!stage.round.poll) futex::wake_shared(stage.broadcast.value, std::numeric_limits<int>::max());
    return;
  }
  for (std::size_t i = 0; i < stage.round.readers; ++i) {
    stage.bells[i].value.fetch_add(1);
    if (!stage.round.poll) futex::wake_shared(stage.bells[i].value, 1);
  }
}

void be_reader(Stage& stage, std::size_t reader, bool broadcast) {
  schedule_this_thread(stage);
  auto& word = broadcast ? stage.broadcast.value : stage.bells[reader].value;
  auto seen = word.load();
  ++stage.ready;
  while (!stage.over.load()) {
    while (word.load() == seen && !stage.over.load()) {
      if (!stage.round.poll) futex::wait_shared(word, seen, kNever);
    }
    // Each message counts, also one for which it came too late, as with the stacks that keep a history.
    for (const auto current = word.load(); seen != current && !stage.over.load(); ++seen) {
      if (stage.round.touched) read(stage.buffer().data(), stage.round.size);
      received(stage, reader, seen, stage.sent_ns(seen).load(), [&](std::uint64_t, std::int64_t) {
        if (stage.round.touched) fill(stage.answer_buffer().data(), stage.round.size, seen);
        stage.answers[reader].fetch_add(1);
        stage.answer_bell.value.fetch_add(1);
        futex::wake_shared(stage.answer_bell.value, 1);
      });
    }
  }
}

void take_answers(Stage& stage) {
  std::vector<std::uint32_t> taken(stage.round.readers);
  while (!stage.over.load()) {
    const auto bell = stage.answer_bell.value.load();
    for (std::size_t i = 0; i < taken.size(); ++i) {
      for (const auto given = stage.answers[i].load(); taken[i] != given; ++taken[i]) {
        if (stage.round.touched) read(stage.answer_buffer().data(), stage.round.size);
        record(stage, i, taken[i], stage.sent_ns(taken[i]).load());
      }
    }
    if (!stage.over.load()) futex::wait_shared(stage.answer_bell.value, bell, kNever);
  }
}

void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected, bool broadcast) {
  wait_for_readers(stage);
  send_meanwhile(
      stage, [&] { take_answers(stage); },
      [&] {
        while_connected([&](std::uint64_t index) {
          stage.sent_ns(index).store(stamp_ns());
          if (stage.round.touched) fill(stage.buffer().data(), stage.round.size, index);
          wake(stage, broadcast);
        });
      });
}

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  using namespace takt::lab::comm;
  const bool broadcast = std::string_view(argv[0]).find("bells") == std::string_view::npos;
  return run_stack(argc, argv,
                   {.be_reader = [=](Stage& stage, std::size_t i) { be_reader(stage, i, broadcast); },
                    .be_sender = [=](Stage& stage, const auto& run) { be_sender(stage, run, broadcast); }});
}

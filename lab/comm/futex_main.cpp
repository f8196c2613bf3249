// SPDX-License-Identifier: Apache-2.0
// The floors: one buffer in shared memory, and a futex word for all readers (broadcast) or one for each
// (bells). They tear and lose messages, keep no history and know no dead reader.
#include <chrono>
#include <limits>
#include <string_view>
#include <thread>

#include "lab/comm/runner.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::comm {
namespace {

void wake(Stage& stage, bool broadcast) {
  if (broadcast) {
    stage.broadcast.value.fetch_add(1);
    if (!stage.cell.poll) futex::wake_shared(stage.broadcast.value, std::numeric_limits<int>::max());
    return;
  }
  for (std::size_t i = 0; i < stage.cell.readers; ++i) {
    stage.bells[i].value.fetch_add(1);
    if (!stage.cell.poll) futex::wake_shared(stage.bells[i].value, 1);
  }
}

void be_reader(Stage& stage, std::size_t reader, bool broadcast) {
  schedule_this_thread(stage, static_cast<int>(reader));
  auto& word = broadcast ? stage.broadcast.value : stage.bells[reader].value;
  auto seen = word.load();
  ++stage.ready;
  while (!stage.over.load()) {
    while (word.load() == seen && !stage.over.load()) {
      if (!stage.cell.poll) futex::wait_shared(word, seen, kNever);
    }
    // Each message counts, also one for which it came too late, as with the stacks that keep a history.
    for (const auto current = word.load(); seen != current && !stage.over.load(); ++seen) {
      if (stage.cell.touched) read(stage.buffer.data(), stage.cell.size);
      record(stage, reader, seen, stage.sent_ns[seen % kMostSamples].load());
    }
  }
}

void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected, bool broadcast) {
  while (stage.ready.load() < stage.cell.readers) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  while_connected([&](std::uint64_t index) {
    stage.sent_ns[index % kMostSamples].store(
        SteadyClock::instance()->steady_now().time_since_epoch().count());
    if (stage.cell.touched) fill(stage.buffer.data(), stage.cell.size, index);
    wake(stage, broadcast);
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

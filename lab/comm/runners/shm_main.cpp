// SPDX-License-Identifier: Apache-2.0
// takt's transport alone: writer, readers and bells, without graph and executor. What `takt` needs more is
// theirs.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "lab/comm/runner.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/bells.hpp"
#include "takt/transport/shm/membership.hpp"
#include "takt/transport/shm/reader.hpp"
#include "takt/transport/shm/writer.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

struct Head {
  std::uint64_t index;
  std::int64_t sent_ns;
};

void be_reader(Stage& stage, std::size_t number) {
  const shm::Membership member(shm::Domain::open(stage.folder.data(), 0));
  const auto bell = member.bells->claim(0);
  while (!stage.channel_open.load()) std::this_thread::sleep_for(1ms);
  const auto reader = shm::Reader::attach(member.domain, stage.channel.data(),
                                          {.lease = member.id, .bell = bell->index(), .depth = kDepth});
  schedule_this_thread(stage);
  ++stage.ready;
  while (!stage.over.load()) {
    const auto seen = bell->value();
    while (const auto view = reader->take()) {
      const auto bytes = view->bytes();
      Head head{};
      std::memcpy(&head, bytes.data(), sizeof head);
      if (stage.round.touched) read(bytes.data() + sizeof head, bytes.size() - sizeof head);
      record(stage, number, head.index, head.sent_ns);
    }
    bell->wait(seen, SteadyClock::instance()->steady_now() + 50ms);
  }
}

void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected) {
  const shm::Membership member(shm::Domain::open(stage.folder.data(), 0));
  const std::size_t size = sizeof(Head) + stage.round.size;
  const auto writer = shm::Writer::create(member.domain, member.bells,
                                          {.lease = member.id,
                                           .depth = kDepth,
                                           .readers = std::max(256U, stage.round.readers),
                                           .max_size = size,
                                           .reserved = size});
  const auto path = writer->path().string();
  if (path.size() >= stage.channel.size()) throw SetupError("the name of the segment is too long");
  std::ranges::copy(path, stage.channel.begin());
  stage.channel_open.store(true);
  wait_for_readers(stage);
  while_connected([&](std::uint64_t index) {
    const Head head{index, stamp_ns()};
    auto filling = writer->begin(size);
    if (!filling) return;
    std::memcpy(filling.bytes().data(), &head, sizeof head);
    if (stage.round.touched) fill(filling.bytes().data() + sizeof head, stage.round.size, index);
    writer->commit(std::move(filling), {.published = SteadyTime{Duration{head.sent_ns}}});
  });
}

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  return takt::lab::comm::run_stack(
      argc, argv, {.be_reader = takt::lab::comm::be_reader, .be_sender = takt::lab::comm::be_sender});
}

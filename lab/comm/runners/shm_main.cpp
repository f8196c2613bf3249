// SPDX-License-Identifier: Apache-2.0
// takt's transport alone: writer, readers and bells, without graph and executor. What `takt` needs more is
// theirs.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

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

std::unique_ptr<shm::Writer> make_writer(const shm::Membership& member, const Stage& stage) {
  const std::size_t size = sizeof(Head) + stage.round.size;
  return shm::Writer::create(member.domain, member.bells,
                             {.lease = member.id,
                              .depth = kDepth,
                              .readers = std::max(256U, stage.round.readers),
                              .max_size = size,
                              .reserved = size});
}

void send(const Stage& stage, shm::Writer& writer, const Head& head) {
  auto filling = writer.begin(sizeof head + stage.round.size);
  if (!filling) return;
  std::memcpy(filling.bytes().data(), &head, sizeof head);
  if (stage.round.touched) fill(filling.bytes().data() + sizeof head, stage.round.size, head.index);
  writer.commit(std::move(filling), {.published = SteadyTime{Duration{head.sent_ns}}});
}

/// All that is there.
template <class Take>
void take_all(const Stage& stage, shm::Reader& reader, const Take& take) {
  while (const auto view = reader.take()) {
    const auto bytes = view->bytes();
    Head head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    if (stage.round.touched) read(bytes.data() + sizeof head, bytes.size() - sizeof head);
    take(head.index, head.sent_ns);
  }
}

/// Where the reader says which segment its answers are in.
std::filesystem::path answers_of(const Stage& stage, std::size_t reader) {
  return std::filesystem::path(stage.folder.data()) / ("answers-" + std::to_string(reader));
}

void be_reader(Stage& stage, std::size_t number) {
  const shm::Membership member(shm::Domain::open(stage.folder.data(), 0));
  const auto bell = member.bells->claim(0);
  std::unique_ptr<shm::Writer> answers;
  if (stage.round.round_trip) {
    answers = make_writer(member, stage);
    std::ofstream(answers_of(stage, number)) << answers->path().string();
  }
  while (!stage.channel_open.load()) std::this_thread::sleep_for(1ms);
  const auto reader = shm::Reader::attach(member.domain, stage.channel.data(),
                                          {.lease = member.id, .bell = bell->index(), .depth = kDepth});
  schedule_this_thread(stage);
  ++stage.ready;
  while (!stage.over.load()) {
    const auto seen = bell->value();
    take_all(stage, *reader, [&](std::uint64_t index, std::int64_t sent_ns) {
      received(stage, number, index, sent_ns, [&](auto... as) { send(stage, *answers, {as...}); });
    });
    bell->wait(seen, SteadyClock::instance()->steady_now() + 50ms);
  }
}

void take_answers(Stage& stage, const shm::Membership& member, shm::Bells::Bell& bell) {
  std::vector<std::unique_ptr<shm::Reader>> readers;
  for (std::size_t i = 0; i < stage.round.readers; ++i) {
    std::string path;
    std::getline(std::ifstream(answers_of(stage, i)), path);
    readers.push_back(shm::Reader::attach(member.domain, path,
                                          {.lease = member.id, .bell = bell.index(), .depth = kDepth}));
  }
  while (!stage.over.load()) {
    const auto seen = bell.value();
    for (const auto& reader : readers)
      take_all(stage, *reader, [&](auto... message) { answered(stage, message...); });
    bell.wait(seen, SteadyClock::instance()->steady_now() + 50ms);
  }
}

void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected) {
  const shm::Membership member(shm::Domain::open(stage.folder.data(), 0));
  const auto writer = make_writer(member, stage);
  const auto path = writer->path().string();
  if (path.size() >= stage.channel.size()) throw SetupError("the name of the segment is too long");
  std::ranges::copy(path, stage.channel.begin());
  stage.channel_open.store(true);
  wait_for_readers(stage);
  const auto bell = member.bells->claim(0);
  send_meanwhile(
      stage, [&] { take_answers(stage, member, *bell); },
      [&] { while_connected([&](std::uint64_t index) {
              send(stage, *writer, {index, stamp_ns()});
            }); });
}

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  return takt::lab::comm::run_stack(
      argc, argv, {.be_reader = takt::lab::comm::be_reader, .be_sender = takt::lab::comm::be_sender});
}

// SPDX-License-Identifier: Apache-2.0
// iceoryx as its documentation recommends: loaned samples, and a WaitSet for a reader that sleeps. Its daemon
// (iox-roudi) runs already.
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "iceoryx_hoofs/cxx/string.hpp"
#include "iceoryx_hoofs/log/logmanager.hpp"
#include "iceoryx_posh/popo/publisher.hpp"
#include "iceoryx_posh/popo/subscriber.hpp"
#include "iceoryx_posh/popo/wait_set.hpp"
#include "iceoryx_posh/runtime/posh_runtime.hpp"
#include "lab/comm/runner.hpp"
#include "takt/core/error.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

template <std::size_t kBytes>
struct Bytes {
  std::uint64_t index;
  std::int64_t sent_ns;
  std::array<std::byte, kBytes> data;
};

void join(const std::string& name) {
  iox::log::LogManager::GetLogManager().SetDefaultLogLevel(iox::log::LogLevel::kError,
                                                           iox::log::LogLevelOutput::kHideLogLevel);
  const auto id = name + "_" + std::to_string(::getpid());
  iox::runtime::PoshRuntime::initRuntime(iox::RuntimeName_t(iox::cxx::TruncateToCapacity, id));
}

template <class T>
void be_reader(Stage& stage, std::size_t reader) {
  join("reader" + std::to_string(reader));
  iox::popo::SubscriberOptions options;
  options.queueCapacity = kDepth;
  iox::popo::Subscriber<T> subscriber({"takt", "lab", "bytes"}, options);
  const auto take_all = [&] {
    while (!subscriber.take()
                .and_then([&](const auto& sample) {
                  if (stage.round.touched) read(sample->data.data(), sample->data.size());
                  record(stage, reader, sample->index, sample->sent_ns);
                })
                .has_error()) {
    }
  };
  iox::popo::WaitSet<> waitset;
  if (!stage.round.poll &&
      waitset.attachState(subscriber, iox::popo::SubscriberState::HAS_DATA).has_error()) {
    throw SetupError("the WaitSet refuses the subscriber");
  }
  schedule_this_thread(stage);
  while (subscriber.getSubscriptionState() != iox::SubscribeState::SUBSCRIBED)
    std::this_thread::sleep_for(1ms);
  ++stage.ready;
  while (!stage.over.load()) {
    if (!stage.round.poll) waitset.timedWait(iox::units::Duration::fromMilliseconds(50));
    take_all();
  }
}

template <class T>
void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected) {
  join("sender");
  iox::popo::PublisherOptions options;
  options.historyCapacity = 0;
  iox::popo::Publisher<T> publisher({"takt", "lab", "bytes"}, options);
  wait_for_readers(stage);
  while_connected([&](std::uint64_t index) {
    const auto sent = stamp_ns();
    publisher.loan().and_then([&](auto& sample) {
      sample->index = index;
      sample->sent_ns = sent;
      if (stage.round.touched) fill(sample->data.data(), sample->data.size(), index);
      sample.publish();
    });
  });
}

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  using namespace takt::lab::comm;
  return run_stack(
      argc, argv,
      {.be_reader =
           [](Stage& stage, std::size_t reader) {
             with_size(stage, [&](auto size) { be_reader<Bytes<decltype(size)::value>>(stage, reader); });
           },
       .be_sender =
           [](Stage& stage, const auto& run) {
             with_size(stage, [&](auto size) { be_sender<Bytes<decltype(size)::value>>(stage, run); });
           }});
}

// SPDX-License-Identifier: Apache-2.0
// iceoryx as its documentation recommends: loaned samples, and a WaitSet for a reader that sleeps. Its daemon
// (iox-roudi) runs already.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
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
void send(const Stage& stage, iox::popo::Publisher<T>& publisher, std::uint64_t index, std::int64_t sent_ns) {
  publisher.loan().and_then([&](auto& sample) {
    sample->index = index;
    sample->sent_ns = sent_ns;
    if (stage.round.touched) fill(sample->data.data(), sample->data.size(), index);
    sample.publish();
  });
}

/// Takes until the stage is over.
template <class T, class Take>
void take_all(const Stage& stage, iox::popo::Subscriber<T>& subscriber, const Take& take) {
  iox::popo::WaitSet<> waitset;
  if (!stage.round.poll &&
      waitset.attachState(subscriber, iox::popo::SubscriberState::HAS_DATA).has_error()) {
    throw SetupError("the WaitSet refuses the subscriber");
  }
  while (!stage.over.load()) {
    if (!stage.round.poll) waitset.timedWait(iox::units::Duration::fromMilliseconds(50));
    while (!subscriber.take()
                .and_then([&](const auto& sample) {
                  if (stage.round.touched) read(sample->data.data(), sample->data.size());
                  take(sample->index, sample->sent_ns);
                })
                .has_error()) {
    }
  }
}

iox::capro::ServiceDescription service_of(const char* channel) {
  return {"takt", "lab", iox::capro::IdString_t(iox::cxx::TruncateToCapacity, channel)};
}

iox::popo::PublisherOptions without_history() {
  iox::popo::PublisherOptions options;
  options.historyCapacity = 0;
  return options;
}

constexpr std::uint64_t kLongestQueue = iox::MAX_SUBSCRIBER_QUEUE_CAPACITY;

template <class T>
void be_reader(Stage& stage, std::size_t reader) {
  join("reader" + std::to_string(reader));
  iox::popo::SubscriberOptions options;
  options.queueCapacity = kDepth;
  iox::popo::Subscriber<T> subscriber(service_of(kMessages), options);
  std::optional<iox::popo::Publisher<T>> answers;
  if (stage.round.round_trip) answers.emplace(service_of(kAnswers), without_history());
  schedule_this_thread(stage);
  while (subscriber.getSubscriptionState() != iox::SubscribeState::SUBSCRIBED ||
         (answers && !answers->hasSubscribers()))
    std::this_thread::sleep_for(1ms);
  ++stage.ready;
  take_all(stage, subscriber, [&](std::uint64_t index, std::int64_t sent_ns) {
    received(stage, reader, index, sent_ns, [&](auto... as) { send(stage, *answers, as...); });
  });
}

template <class T>
void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected) {
  join("sender");
  iox::popo::Publisher<T> publisher(service_of(kMessages), without_history());
  iox::popo::SubscriberOptions options;
  options.queueCapacity = std::min(kLongestQueue, std::uint64_t{kDepth} * stage.round.readers);
  options.subscribeOnCreate = stage.round.round_trip;
  iox::popo::Subscriber<T> answers(service_of(kAnswers), options);
  wait_for_readers(stage);
  send_meanwhile(
      stage, [&] { take_all(stage, answers, [&](auto... message) { answered(stage, message...); }); },
      [&] { while_connected([&](std::uint64_t index) { send(stage, publisher, index, stamp_ns()); }); });
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

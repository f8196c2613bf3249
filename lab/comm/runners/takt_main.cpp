// SPDX-License-Identifier: Apache-2.0
// takt as a user programs it: a publisher whose messages are borrowed, a subscription whose callback an
// executor runs.
#include <chrono>
#include <memory>
#include <takt_bench_msgs/msg/bytes1024.hpp>
#include <takt_bench_msgs/msg/bytes1048576.hpp>
#include <takt_bench_msgs/msg/bytes16384.hpp>
#include <takt_bench_msgs/msg/bytes256.hpp>
#include <takt_bench_msgs/msg/bytes262144.hpp>
#include <takt_bench_msgs/msg/bytes4096.hpp>
#include <takt_bench_msgs/msg/bytes64.hpp>
#include <takt_bench_msgs/msg/bytes65536.hpp>
#include <takt_bench_msgs/msg/bytes8.hpp>
#include <thread>

#include "lab/comm/runner.hpp"
#include "takt/takt.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

Context::SharedPtr make_context(const Stage& stage) {
  InitOptions options;
  options.handle_signals = false;
  options.verdict = timing::VerdictFormat::off;
  options.discovery = DiscoveryRange::localhost;
  options.shm_folder = stage.folder.data();
  return Context::make(std::move(options));
}

Executor make_executor(const Stage& stage, const Context::SharedPtr& context) {
  Scheduling scheduling;
  if (stage.round.fifo > 0) scheduling = Fifo{stage.round.fifo};
  return Executor({.scheduling = scheduling,
                   .busy_poll = stage.round.poll ? Duration::max() : Duration::zero(),
                   .context = context});
}

template <class T>
auto make_publisher(Node& node, const char* topic) {
  return node.create_publisher<T>(topic, kDepth, {.reserved = sizeof(T) + 64});
}

template <class T>
void send(const Stage& stage, Publisher<T>& publisher, std::uint64_t index, std::int64_t sent_ns) {
  auto loan = publisher.borrow();
  if (!loan) return;
  loan->index = index;
  loan->sent_ns = sent_ns;
  if (stage.round.touched) fill(loan->data.data(), loan->data.size(), index);
  publisher.publish(std::move(loan));
}

template <class T>
void be_reader(Stage& stage, std::size_t reader) {
  auto context = make_context(stage);
  auto node = std::make_shared<Node>("reader_" + std::to_string(reader), NodeOptions{.context = context});
  auto executor = make_executor(stage, context);
  const auto answers = stage.round.round_trip ? make_publisher<T>(*node, kAnswers) : nullptr;
  const auto answer = [&](std::uint64_t index, std::int64_t sent_ns) {
    send(stage, *answers, index, sent_ns);
  };
  auto subscription = node->create_subscription<T>(kMessages, kDepth, [&](const T& message) {
    if (stage.round.touched) read(message.data.data(), message.data.size());
    received(stage, reader, message.index, message.sent_ns, answer);
  });
  executor.add_node(node);
  std::thread end([&] {
    ++stage.ready;
    wait_until_over(stage);
    executor.cancel();
  });
  executor.spin();
  end.join();
}

template <class T>
void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected) {
  auto context = make_context(stage);
  auto node = std::make_shared<Node>("sender", NodeOptions{.context = context});
  auto executor = make_executor(stage, context);
  const auto publisher = make_publisher<T>(*node, kMessages);
  typename Subscription<T>::SharedPtr answers;
  if (stage.round.round_trip) {
    answers = node->create_subscription<T>(kAnswers, kDepth, [&](const T& message) {
      if (stage.round.touched) read(message.data.data(), message.data.size());
      answered(stage, message.index, message.sent_ns);
    });
    while (answers->get_publisher_count() < stage.round.readers && !stage.over.load())
      std::this_thread::sleep_for(1ms);
  }
  executor.add_node(node);
  while (publisher->get_subscription_count() < stage.round.readers && !stage.over.load())
    std::this_thread::sleep_for(1ms);
  send_meanwhile(
      stage, [&] { executor.spin(); },
      [&] {
        while_connected([&](std::uint64_t index) { send(stage, *publisher, index, stamp_ns()); });
        executor.cancel();
      });
}

template <std::size_t kBytes>
struct MessageOf;
template <>
struct MessageOf<8> : std::type_identity<takt_bench_msgs::msg::Bytes8> {};
template <>
struct MessageOf<64> : std::type_identity<takt_bench_msgs::msg::Bytes64> {};
template <>
struct MessageOf<256> : std::type_identity<takt_bench_msgs::msg::Bytes256> {};
template <>
struct MessageOf<1024> : std::type_identity<takt_bench_msgs::msg::Bytes1024> {};
template <>
struct MessageOf<4096> : std::type_identity<takt_bench_msgs::msg::Bytes4096> {};
template <>
struct MessageOf<16'384> : std::type_identity<takt_bench_msgs::msg::Bytes16384> {};
template <>
struct MessageOf<65'536> : std::type_identity<takt_bench_msgs::msg::Bytes65536> {};
template <>
struct MessageOf<262'144> : std::type_identity<takt_bench_msgs::msg::Bytes262144> {};
template <>
struct MessageOf<1'048'576> : std::type_identity<takt_bench_msgs::msg::Bytes1048576> {};

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  using namespace takt::lab::comm;
  return run_stack(argc, argv,
                   {.be_reader =
                        [](Stage& stage, std::size_t reader) {
                          with_size(stage, [&](auto size) {
                            be_reader<typename MessageOf<decltype(size)::value>::type>(stage, reader);
                          });
                        },
                    .be_sender =
                        [](Stage& stage, const auto& run) {
                          with_size(stage, [&](auto size) {
                            be_sender<typename MessageOf<decltype(size)::value>::type>(stage, run);
                          });
                        }});
}

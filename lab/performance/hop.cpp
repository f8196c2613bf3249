// SPDX-License-Identifier: Apache-2.0
#include "lab/performance/hop.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <std_msgs/msg/int64.hpp>
#include <thread>

#include "lab/common/threads.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/scheduling.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/takt.hpp"

namespace takt::lab::performance {

namespace {

using namespace std::chrono_literals;
using Message = std_msgs::msg::Int64;

constexpr std::size_t kNodes = 10;
constexpr auto kPace = 1ms;
const Scheduling kScheduling = Other{};

SteadyTime now() { return SteadyClock::instance()->steady_now(); }

Context::SharedPtr quiet_context() {
  InitOptions options;
  options.handle_signals = false;
  options.verdict = timing::VerdictFormat::off;
  return Context::make(std::move(options));
}

/// Both ends of a hand-off have a core of their own: where the scheduler puts them would otherwise decide the
/// figure, since a wake-up on the sender's own core costs another sum.
struct Cores {
  int sender = 0;
  int receiver = 0;
};
Cores two_cores() {
  const auto allowed = this_thread_state().cpus;
  return {allowed.front(), allowed.back()};
}

/// Calls send(now) at 1 kHz from the core `cpu`.
template <class Send>
void paced(int cpu, std::size_t samples, Send send) {
  const ThreadStateGuard as_before;
  apply_to_this_thread({.cpus = {cpu}});
  auto next = now();
  for (std::size_t i = 0; i < samples; ++i) {
    next += kPace;
    SteadyClock::instance()->sleep_until(next);
    send(now());
  }
}

/// Keeps one result so that the compiler keeps the call.
struct Sink {
  std::atomic<std::int64_t> value{0};
  void take(const Message& message) noexcept { value.store(message.data, std::memory_order_relaxed); }
};

}  // namespace

std::vector<double> topic_hops(std::size_t laps) {
  auto context = quiet_context();
  auto node = std::make_shared<Node>("ring", NodeOptions{.context = context});
  Executor executor({.name = "ring", .context = context});
  std::vector<Publisher<Message>::SharedPtr> publishers;
  std::vector<Subscription<Message>::SharedPtr> subscriptions;
  std::vector<double> samples;
  samples.reserve(laps + 1);
  Sink sink;
  auto lap_start = now();
  for (std::size_t i = 0; i < kNodes; ++i) {
    publishers.push_back(node->create_publisher<Message>("hop_" + std::to_string(i), 4));
  }
  for (std::size_t i = 0; i < kNodes; ++i) {
    auto on_message = [&, i](const Message& message) {
      sink.take(message);
      if (i == 0) {
        const auto lap_end = now();
        samples.push_back(to_us(lap_end - lap_start) / static_cast<double>(kNodes));
        lap_start = lap_end;
        if (samples.size() > laps) return executor.cancel();
      }
      auto loan = publishers[(i + 1) % kNodes]->borrow();
      loan->data = message.data + 1;
      publishers[(i + 1) % kNodes]->publish(std::move(loan));
    };
    subscriptions.push_back(node->create_subscription<Message>("hop_" + std::to_string(i), 4, on_message));
  }
  executor.add_node(node);
  publishers[0]->publish(std::make_unique<Message>());
  executor.spin();
  samples.erase(samples.begin());  // the first lap began before the spin
  return samples;
}

std::vector<double> direct_hops(std::size_t laps) {
  Sink sink;
  Message message;
  std::array<std::function<void(const Message&)>, kNodes> bodies;
  for (auto& body : bodies) {
    body = [&](const Message& m) {
      sink.take(m);
      message.data = m.data + 1;
    };
  }
  std::vector<double> samples;
  samples.reserve(laps);
  auto lap_start = now();
  for (std::size_t lap = 0; lap < laps; ++lap) {
    for (auto& body : bodies) body(message);
    const auto lap_end = now();
    samples.push_back(to_us(lap_end - lap_start) / static_cast<double>(kNodes));
    lap_start = lap_end;
  }
  return samples;
}

std::vector<double> timer_to_subscription(std::size_t count) {
  auto context = quiet_context();
  auto node = std::make_shared<Node>("pair", NodeOptions{.context = context});
  Executor executor({.scheduling = kScheduling, .name = "pair", .context = context});
  auto publisher = node->create_publisher<Message>("value", 4);
  std::vector<double> samples;
  samples.reserve(count);
  SteadyTime sent{};
  auto subscription = node->create_subscription<Message>("value", 4, [&](const Message&) {
    samples.push_back(to_us(now() - sent));
    if (samples.size() >= count) executor.cancel();
  });
  auto timer = node->create_timer(kPace, [&] {
    auto loan = publisher->borrow();
    sent = now();
    publisher->publish(std::move(loan));
  });
  executor.add_node(node);
  executor.spin();
  return samples;
}

std::vector<double> timer_to_call(std::size_t count) {
  auto context = quiet_context();
  auto node = std::make_shared<Node>("single", NodeOptions{.context = context});
  Executor executor({.scheduling = kScheduling, .name = "single", .context = context});
  std::vector<double> samples;
  samples.reserve(count);
  SteadyTime sent{};
  std::function<void(const Message&)> body = [&](const Message&) {
    samples.push_back(to_us(now() - sent));
    if (samples.size() >= count) executor.cancel();
  };
  Message message;
  auto timer = node->create_timer(kPace, [&] {
    sent = now();
    body(message);
  });
  executor.add_node(node);
  executor.spin();
  return samples;
}

std::vector<double> across_threads(std::size_t count) {
  auto context = quiet_context();
  auto node = std::make_shared<Node>("receiver", NodeOptions{.context = context});
  const auto cores = two_cores();
  Executor executor(
      {.scheduling = kScheduling, .cpus = {cores.receiver}, .name = "receiver", .context = context});
  auto publisher = node->create_publisher<Message>("value", 4);
  std::vector<double> samples;
  samples.reserve(count);
  auto subscription = node->create_subscription<Message>("value", 4, [&](const Message& message) {
    samples.push_back(to_us(now() - SteadyTime{Duration{message.data}}));
  });
  executor.add_node(node);
  SideThread receiver(
      "the receiver's", [&] { executor.spin(); }, [] {});
  paced(cores.sender, count, [&](SteadyTime at) {
    auto loan = publisher->borrow();
    loan->data = at.time_since_epoch().count();
    publisher->publish(std::move(loan));
  });
  std::this_thread::sleep_for(5ms);
  executor.cancel();
  receiver.join();
  return samples;
}

std::vector<double> across_threads_futex(std::size_t count) {
  std::atomic<std::uint32_t> word{0};
  std::atomic<std::int64_t> sent{0};
  std::vector<double> samples;
  samples.reserve(count);
  const auto cores = two_cores();
  std::thread receiver = start_thread("the receiver's", [&] {
    apply_to_this_thread({.cpus = {cores.receiver}});
    for (std::uint32_t seen = 0; seen < count; ++seen) {
      while (word.load() == seen) futex::wait(word, seen, kNever);
      samples.push_back(to_us(now() - SteadyTime{Duration{sent.load()}}));
    }
  });
  paced(cores.sender, count, [&](SteadyTime at) {
    sent.store(at.time_since_epoch().count());
    word.fetch_add(1);
    futex::wake(word, 1);
  });
  receiver.join();
  return samples;
}

}  // namespace takt::lab::performance

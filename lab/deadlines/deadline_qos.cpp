// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/deadline_qos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <std_msgs/msg/int64.hpp>

#include "lab/common/interrupt.hpp"
#include "lab/common/shortage.hpp"
#include "lab/common/threads.hpp"
#include "lab/deadlines/rounding.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/takt.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;
using std_msgs::msg::Int64;

constexpr std::array<Duration, 10> kWithAGap{8ms, 8ms, 8ms, 8ms, 25ms, 8ms, 8ms, 9ms, 9ms, 9ms};
constexpr std::array<Duration, 10> kSteady{8ms, 8ms, 8ms, 8ms, 8ms, 8ms, 8ms, 8ms, 8ms, 8ms};
constexpr std::int64_t kSlowMessage = 5;
constexpr std::int64_t kLastMessage = 10;  // counted from 0
constexpr Duration kSlow = 22ms;

using Pattern = std::array<Duration, 10>;

/// Hears the stream, and counts what it is told.
class Listener : public Node {
 public:
  Listener(const std::shared_ptr<Context>& context, Duration deadline, bool slow)
      : Node("listener", NodeOptions{.context = context}) {
    SubscriptionOptions options{.callback_group = nullptr, .deadline = Deadline(deadline), .name = ""};
    options.event_callbacks.deadline_callback = [this](QOSDeadlineRequestedInfo& info) {
      events_ = info.total_count;
    };
    subscription_ = create_subscription<Int64>(
        "stream", QoS(16).deadline(deadline),
        [this, slow](const Int64& message) {
          if (slow && message.data == kSlowMessage) SteadyClock::instance()->sleep_for(kSlow);
          if (message.data == kLastMessage) this->context()->shutdown("the stream is over");
        },
        options);
  }

  std::int64_t events() const noexcept { return events_; }
  const timing::Section& section() const noexcept { return subscription_->section(); }

 private:
  std::int64_t events_ = 0;  // the executor's thread
  Subscription<Int64>::SharedPtr subscription_;
};

/// Publishes by the pattern; the gaps as they came out.
std::vector<Duration> publish_by(const Pattern& pattern, Publisher<Int64>& publisher) {
  SteadyClock& clock = *SteadyClock::instance();
  std::vector<Duration> gaps;
  std::int64_t number = 0;
  const auto publish = [&] {
    Int64 message;
    message.data = number++;
    publisher.publish(message);
    return clock.steady_now();
  };
  SteadyTime last = publish();
  SteadyTime next = last;
  for (const auto interval : pattern) {
    next = std::max(next + interval, last + interval);
    clock.sleep_until(next);
    const SteadyTime now = publish();
    gaps.push_back(now - last);
    last = now;
  }
  return gaps;
}

QosWatch watched(const Pattern& pattern, std::string stream, Duration deadline, bool slow) {
  QosWatch watch{.stream = std::move(stream), .deadline = deadline};
  InitOptions init;
  init.handle_signals = false;
  init.verdict = timing::VerdictFormat::off;
  init.discovery = DiscoveryRange::off;
  const auto context = Context::make(init);
  const auto listener = std::make_shared<Listener>(context, deadline, slow);
  const auto talker = std::make_shared<Node>("talker", NodeOptions{.context = context});
  const auto publisher = talker->create_publisher<Int64>("stream", QoS(16).deadline(deadline));
  Executor executor({.context = context});
  executor.add_node(listener);
  SideThread side(
      "the one that publishes", [&] { watch.gaps = publish_by(pattern, *publisher); },
      [&] { context->shutdown("it could not publish"); });
  executor.spin();
  side.join();
  watch.events = listener->events();
  watch.late_callbacks = context->monitor().verdict(listener->section()).misses;
  return watch;
}

Duration longest_of(const QosWatch& watch) {
  return watch.gaps.empty() ? Duration::zero() : *std::ranges::max_element(watch.gaps);
}

}  // namespace

std::int64_t QosWatch::expected() const {
  std::int64_t periods = 0;
  for (const auto gap : gaps) periods += (gap - 1ns) / deadline;  // a message at the deadline is in time
  return periods;
}

std::vector<QosWatch> watch_deadline_qos() {
  std::vector<QosWatch> watches;
  for (const bool slow : {false, true}) {
    for (const Duration deadline : {15ms, 30ms}) {
      if (Interrupt::requested()) return watches;
      const char* stream = slow ? "8 ms apart, one callback runs 22 ms" : "8 or 9 ms apart, one gap of 25 ms";
      try {
        watches.push_back(watched(slow ? kSteady : kWithAGap, stream, deadline, slow));
      } catch (const std::exception& error) {
        watches.push_back({.stream = stream, .deadline = deadline, .fault = lab::words_of(error)});
      }
    }
  }
  return watches;
}

Table table_of(const std::vector<QosWatch>& watches) {
  Table table{.title = "What the deadline QoS tells: a gap between messages, not a late callback",
              .columns = {{"messages", Align::left},
                          {"deadline, ms"},
                          {"longest gap, ms"},
                          {"silent periods"},
                          {"told by the event"},
                          {"late callbacks (takt)"},
                          {"", Align::left}}};
  for (const auto& one : watches) {
    const bool measured = one.fault.empty();
    table.rows.push_back({one.stream, fmt::format("{:g}", to_ms(one.deadline)),
                          fmt::format("{:.3f}", to_ms(longest_of(one))), std::to_string(one.expected()),
                          std::to_string(one.events), std::to_string(one.late_callbacks),
                          !measured                      ? "not measured: " + one.fault
                          : one.events == one.expected() ? "as many as there were"
                                                         : "DIFFERS"});
  }
  table.note =
      "The event looks at when messages were published. That a callback took 22 ms, or started late because "
      "of that, it does not see; takt's verdict on the callback does.";
  return table;
}

nlohmann::ordered_json to_json(const std::vector<QosWatch>& watches) {
  using Document = nlohmann::ordered_json;
  auto list = Document::array();
  for (const auto& one : watches) {
    auto gaps = Document::array();
    for (const auto gap : one.gaps) gaps.push_back(rounded(to_ms(gap)));
    list.push_back({{"stream", one.stream},
                    {"deadline_ms", to_ms(one.deadline)},
                    {"gaps_ms", std::move(gaps)},
                    {"longest_gap_ms", rounded(to_ms(longest_of(one)))},
                    {"expected_events", one.expected()},
                    {"events", one.events},
                    {"late_callbacks", one.late_callbacks},
                    {"fault", one.fault.empty() ? Document() : Document(one.fault)}});
  }
  return list;
}

}  // namespace takt::lab::deadlines

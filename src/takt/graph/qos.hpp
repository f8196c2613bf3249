// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "takt/core/time.hpp"

namespace takt {

enum class HistoryPolicy : std::uint8_t { keep_last, keep_all };
enum class ReliabilityPolicy : std::uint8_t { reliable, best_effort };
enum class DurabilityPolicy : std::uint8_t { volatile_, transient_local };

struct KeepLast {
  std::size_t depth;
  explicit KeepLast(std::size_t n) : depth(n) {}
};
/// Bounded: `limit` messages; a further one is refused for that subscription and counted at both ends.
struct KeepAll {
  std::size_t limit = 4096;
};

/// Quality of service with rclcpp's names and defaults (keep last, reliable, volatile). Converts from a
/// depth. Errors: SetupError for a depth of 0 or above 65,536 with keep last.
class QoS {
 public:
  QoS(std::size_t depth);  // NOLINT(google-explicit-constructor): create_publisher<T>("topic", 10) is the
                           // field's idiom
  QoS(KeepLast history) : QoS(history.depth) {}  // NOLINT(google-explicit-constructor)
  QoS(KeepAll history);                          // NOLINT(google-explicit-constructor)

  QoS& keep_last(std::size_t depth);
  QoS& keep_all(std::size_t limit = KeepAll{}.limit);
  QoS& reliable() noexcept;
  QoS& best_effort() noexcept;
  QoS& durability_volatile() noexcept;
  QoS& transient_local() noexcept;
  /// At most so long from one message to the next: a publisher's offer, a subscription's request. Checked
  /// when the two are matched. Errors: SetupError unless above zero.
  QoS& deadline(Duration period);

  HistoryPolicy history() const noexcept { return history_; }
  ReliabilityPolicy reliability() const noexcept { return reliability_; }
  DurabilityPolicy durability() const noexcept { return durability_; }
  std::size_t depth() const noexcept { return depth_; }     ///< or the limit of keep all
  Duration deadline() const noexcept { return deadline_; }  ///< Duration::max(): none

 private:
  HistoryPolicy history_ = HistoryPolicy::keep_last;
  ReliabilityPolicy reliability_ = ReliabilityPolicy::reliable;
  DurabilityPolicy durability_ = DurabilityPolicy::volatile_;
  std::size_t depth_;
  Duration deadline_ = Duration::max();
};

/// Best effort, keep last 5 (rmw_qos_profile_sensor_data).
QoS SensorDataQoS();
/// Reliable, keep last 10: the default of a topic.
QoS SystemDefaultsQoS();
/// Best effort, keep last 1: /clock.
QoS ClockQoS();

/// Empty when a subscription that asks `requested` can be matched with a publisher that offers `offered`;
/// else the reason in words ("the publisher is best effort, the subscription asks for reliable"). Rules: DDS
/// request against offer.
std::string incompatibility(const QoS& offered, const QoS& requested);

}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/qos.hpp"

#include "takt/core/error.hpp"

namespace takt {
namespace {

constexpr std::size_t kDeepest = 65'536;

std::size_t checked_depth(std::size_t depth, const char* what) {
  if (depth == 0 || depth > kDeepest) {
    throw SetupError("QoS: " + std::string(what) + " of " + std::to_string(depth) + " messages",
                     "use 1 to " + std::to_string(kDeepest));
  }
  return depth;
}

std::string period_text(Duration period) {
  return period == Duration::max() ? "no set time" : std::to_string(to_ms(period)) + " ms";
}

}  // namespace

QoS::QoS(std::size_t depth) : depth_(checked_depth(depth, "keep last")) {}

QoS::QoS(KeepAll history)
    : history_(HistoryPolicy::keep_all), depth_(checked_depth(history.limit, "a keep all limit")) {}

QoS& QoS::keep_last(std::size_t depth) {
  depth_ = checked_depth(depth, "keep last");
  history_ = HistoryPolicy::keep_last;
  return *this;
}

QoS& QoS::keep_all(std::size_t limit) {
  depth_ = checked_depth(limit, "a keep all limit");
  history_ = HistoryPolicy::keep_all;
  return *this;
}

QoS& QoS::reliable() noexcept {
  reliability_ = ReliabilityPolicy::reliable;
  return *this;
}

QoS& QoS::best_effort() noexcept {
  reliability_ = ReliabilityPolicy::best_effort;
  return *this;
}

QoS& QoS::durability_volatile() noexcept {
  durability_ = DurabilityPolicy::volatile_;
  return *this;
}

QoS& QoS::transient_local() noexcept {
  durability_ = DurabilityPolicy::transient_local;
  return *this;
}

QoS& QoS::deadline(Duration period) {
  if (period <= Duration::zero()) {
    throw SetupError("QoS: a deadline of " + std::to_string(period.count()) + " ns", "use one above zero");
  }
  deadline_ = period;
  return *this;
}

// rclcpp's names, which are types there.
QoS SensorDataQoS() { return QoS(5).best_effort(); }  // NOLINT(readability-identifier-naming)
QoS SystemDefaultsQoS() { return {10}; }              // NOLINT(readability-identifier-naming)
QoS ClockQoS() { return QoS(1).best_effort(); }       // NOLINT(readability-identifier-naming)

std::string incompatibility(const QoS& offered, const QoS& requested) {
  if (offered.reliability() == ReliabilityPolicy::best_effort &&
      requested.reliability() == ReliabilityPolicy::reliable) {
    return "the publisher is best effort, the subscription asks for reliable";
  }
  if (offered.durability() == DurabilityPolicy::volatile_ &&
      requested.durability() == DurabilityPolicy::transient_local) {
    return "the publisher is volatile, the subscription asks for transient local";
  }
  if (offered.deadline() > requested.deadline()) {
    return "the publisher offers a message every " + period_text(offered.deadline()) +
           ", the subscription asks for one every " + period_text(requested.deadline());
  }
  return {};
}

}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "takt/timing/section.hpp"

namespace takt {

/// A deadline as a user writes it: a duration is one already, and the rest is said as with QoS:
///   {.deadline = 10ms}
///   {.deadline = Deadline(10ms).tolerate(1, 100).firm()}
///   {.deadline = Deadline(10ms).judge_interval(500us).on_miss(handler)}
class Deadline : public DeadlineOptions {
 public:
  /// The default: a timer's period; no deadline for all else.
  Deadline() = default;
  /// Relative to release. Errors: SetupError when out of range.
  template <class Rep, class Ratio>
  // NOLINTNEXTLINE(google-explicit-constructor): a duration is a deadline
  Deadline(std::chrono::duration<Rep, Ratio> within) {
    deadline = std::chrono::duration<Rep, Ratio>::max() == within ? kNoDeadline
                                                                  : checked_duration(within, "a deadline");
  }
  static Deadline none() {
    Deadline never;
    never.deadline = kNoDeadline;
    return never;
  }

  /// At most `misses` in any `window` consecutive activations still count as met.
  Deadline& tolerate(std::uint32_t misses, std::uint32_t window) {
    return set(tolerance, Tolerance{misses, window});
  }
  /// Judge start(k) - start(k-1) > deadline + jitter instead of the response.
  Deadline& judge_interval(Duration allowed_jitter) {
    rule = MissRule::interval;
    return set(jitter, allowed_jitter);
  }
  Deadline& soft() { return set(criticality, Criticality::soft); }
  Deadline& firm() { return set(criticality, Criticality::firm); }
  Deadline& hard() { return set(criticality, Criticality::hard); }
  /// The first `activations` are recorded but not judged.
  Deadline& warm_up(std::uint64_t activations) { return set(warmup, activations); }
  /// Runs in the thread of the activation, right after it; must keep the real-time rules itself.
  Deadline& on_miss(MissHandler handler) { return set(DeadlineOptions::on_miss, std::move(handler)); }

 private:
  template <class Field, class Value>
  Deadline& set(Field& field, Value&& value) {
    field = std::forward<Value>(value);
    return *this;
  }
};

}  // namespace takt

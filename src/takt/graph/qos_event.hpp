// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace takt {

/// Deadline periods (of the subscription's QoS) that passed without a message.
struct QOSDeadlineRequestedInfo {
  std::int32_t total_count = 0;         ///< since the subscription was made; stays at the largest number
  std::int32_t total_count_change = 0;  ///< since the event before
};

/// Deadline periods (of the publisher's QoS) that passed without a publish().
struct QOSDeadlineOfferedInfo {
  std::int32_t total_count = 0;         ///< since the publisher was made; stays at the largest number
  std::int32_t total_count_change = 0;  ///< since the event before
};

using QOSDeadlineRequestedCallbackType = std::function<void(QOSDeadlineRequestedInfo&)>;
using QOSDeadlineOfferedCallbackType = std::function<void(QOSDeadlineOfferedInfo&)>;

/// What else a subscription can hear of.
///
/// deadline_callback: no message arrived within the deadline of the QoS (without one: never called). What is
/// detected is a gap between messages, not a callback that runs late. Counted is from the first match with a
/// publisher, or the begin of its executor's spin() if that is later; then from each message's publish time,
/// also once the publisher has gone: a silence that lasts is counted once per period. A message exactly at
/// the deadline is in time. An event that could not run at once counts all periods that passed meanwhile.
/// From several publishers, some of them in other processes, the order of arrival is not known: a gap that
/// ended before the executor looked is then not counted.
struct SubscriptionEventCallbacks {
  QOSDeadlineRequestedCallbackType deadline_callback{};
};

/// What else a publisher can hear of.
///
/// deadline_callback: nothing was published within the deadline of the QoS (without one: never called).
/// Counted as above, but from the publisher's creation: what it offers does not depend on who listens. A
/// late result that was suppressed has not been published.
struct PublisherEventCallbacks {
  QOSDeadlineOfferedCallbackType deadline_callback{};
};

}  // namespace takt

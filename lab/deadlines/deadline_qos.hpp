// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/common/table.hpp"
#include "takt/core/time.hpp"

namespace takt::lab::deadlines {

/// What the event "requested deadline missed" said of a stream of messages, and what was so.
struct QosWatch {
  std::string stream;              ///< "8 or 9 ms apart, one gap of 25 ms", or how it is else
  Duration deadline{};             ///< of the QoS
  std::vector<Duration> gaps{};    ///< between the messages, as published
  std::int64_t events = 0;         ///< deadline periods without a message that it told of
  std::uint64_t late_callbacks{};  ///< by takt's verdict, which judges the callback by the same deadline
  std::string fault{};             ///< why it could not be measured; empty: it was

  /// The periods of silence that there were.
  std::int64_t expected() const;
};

/// Four streams of eleven messages: a pattern with one gap of 25 ms against deadlines of 15 and 30 ms, and
/// a steady stream with one callback that runs 22 ms against 15 and 30. About half a second.
std::vector<QosWatch> watch_deadline_qos();

Table table_of(const std::vector<QosWatch>& watches);
/// [{stream, deadline_ms, gaps_ms[], longest_gap_ms, expected_events, events, late_callbacks, fault}]
nlohmann::ordered_json to_json(const std::vector<QosWatch>& watches);

}  // namespace takt::lab::deadlines

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/comm/stacks.hpp"
#include "lab/comm/stage.hpp"

namespace takt::lab::comm {

struct RoundResult {
  std::string unsupported;  ///< why it cannot be run here, in the runner's words; empty: it can
  std::string failed;       ///< what went wrong half-way; empty: nothing
  bool interrupted = false;

  std::vector<std::vector<float>> latency_us;  ///< of each reader, every message that it received
  std::vector<float> publish_us;
  std::uint64_t sent = 0;
  Duration sending{};
  Duration publisher_cpu{}, subscriber_cpu{};  ///< while it was measured; of all readers
  std::uint64_t rss_kib = 0;                   ///< of all its processes

  bool ran() const { return unsupported.empty() && failed.empty() && !interrupted; }
  std::uint64_t received() const;
};

/// A sender and readers in processes of their own, which never outlive it. They are started for the first
/// round, and between rounds they can be stopped, so that they cost others nothing but memory.
class Session {
 public:
  /// Errors: CannotMeasure when the laboratory itself is out of memory or files.
  Session(const StackFacts& stack, Round round);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// One round; what goes wrong is in the result, and then there is no further one.
  RoundResult run();
  /// Until the next round.
  void stop();

 private:
  class Ends;
  std::unique_ptr<Ends> ends_;
};

/// How long its ends have to find each other.
Duration patience_for(const Round& round);

/// Why this round does not fit into the machine; empty: it does.
std::string shortage_for(const Round& round);

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "lab/common/console.hpp"
#include "takt/cli/host_session.hpp"
#include "takt/transport/shm/reader.hpp"

namespace takt::cli {

/// A message as it was taken: valid during the call that gives it.
struct StreamMessage {
  const shm::Endpoint& publisher;
  std::span<const std::byte> bytes;  ///< serialized, from the encapsulation header on; may be damaged
  SteadyTime published;
  SteadyTime received;
  std::uint64_t sequence;  ///< of the publisher, from 1
};

/// A subscription of the command: reads every publisher of a topic that matches it, whenever that comes. What
/// does not match or cannot be read is said on stderr, once. One thread.
class TopicStream {
 public:
  /// False: enough, nothing more is taken.
  using Handler = std::function<bool(const StreamMessage&)>;

  /// `wanted`: topic, type, hash and QoS of the subscription, which is announced.
  TopicStream(HostSession& session, lab::Console& console, shm::Endpoint wanted);
  ~TopicStream();
  TopicStream(const TopicStream&) = delete;
  TopicStream& operator=(const TopicStream&) = delete;

  /// Gives every message to the handler until that has enough, the user asks to end, or the deadline.
  /// `on_pause`, if any, is called every second beside, between two messages. True: the handler had enough.
  bool run(SteadyTime deadline, const Handler& handler, const std::function<void(SteadyTime)>& on_pause = {});

  /// Overwritten before they were taken, of all publishers so far.
  std::uint64_t lost() const noexcept { return lost_; }

 private:
  struct Source {
    shm::Endpoint publisher;
    std::unique_ptr<shm::Reader> reader;  // empty: does not match, or cannot be read
    std::uint64_t lost = 0;
    bool gone = false;
  };

  void look_for_publishers();
  void meet(const shm::Endpoint& publisher);
  bool take_all(const Handler& handler);
  bool take_of(Source& source, const Handler& handler);
  void count_lost(Source& source);

  HostSession& session_;
  lab::Console& console_;
  shm::Endpoint wanted_;
  shm::EndpointId own_ = 0;
  std::map<shm::EndpointId, Source> sources_;
  std::uint64_t lost_ = 0;
  bool looked_ = false;
  std::uint32_t changes_seen_ = 0;
};

/// Waits until an endpoint of the topic is known, and says that it waits. Its endpoints, publishers first;
/// empty when the user asked to end, or after the deadline.
std::vector<shm::Endpoint> wait_for_topic(HostSession& session, lab::Console& console,
                                          const std::string& topic, SteadyTime deadline);
/// Whether a publisher is among them.
bool has_publisher(std::span<const shm::Endpoint> endpoints) noexcept;

/// The type that these endpoints of a topic have. Errors: SetupError when they have several.
std::string only_type(std::span<const shm::Endpoint> endpoints);
/// What a subscription that takes all there is asks for: no more than every publisher offers.
shm::EndpointQos modest_qos(std::span<const shm::Endpoint> endpoints);

}  // namespace takt::cli

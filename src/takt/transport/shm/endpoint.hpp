// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "takt/core/time.hpp"
#include "takt/transport/shm/message.hpp"

namespace takt::shm {

/// Unique among the endpoints of a domain: random per process, plus a counter. 0 is none.
using EndpointId = std::uint64_t;

enum class EndpointKind : std::uint8_t {
  publisher = 1,
  subscription = 2,
  node = 3  ///< says only that the node exists: nothing but its name is set
};

/// What an endpoint offers (publisher) or asks for (subscription).
struct EndpointQos {
  enum class Reliability : std::uint8_t { best_effort, reliable };
  enum class Durability : std::uint8_t { volatile_, transient_local };
  enum class History : std::uint8_t { keep_last, keep_all };
  static constexpr Duration kUnlimited = Duration::max();

  Reliability reliability = Reliability::reliable;
  Durability durability = Durability::volatile_;
  History history = History::keep_last;
  std::uint32_t depth = 10;        ///< messages; with keep all its limit
  Duration deadline = kUnlimited;  ///< at most so long from one message to the next
  Duration lifespan = kUnlimited;  ///< a message older than this is of no use

  bool operator==(const EndpointQos&) const = default;
};

/// A publisher, subscription or node of some process of the domain.
struct Endpoint {
  static constexpr std::size_t kMaxName = 1023;     ///< bytes of topic, type and node name each
  static constexpr std::size_t kMaxFileName = 255;  ///< bytes of segment

  // The owner says:
  EndpointKind kind = EndpointKind::publisher;
  std::string topic;
  std::string type_name;  ///< "std_msgs/msg/Int32"
  TypeHash type_hash{};
  std::string node;  ///< full name, "/controller"
  EndpointQos qos;
  std::string segment;  ///< publishers: the file in the domain's folder

  // Discovery says:
  EndpointId id = 0;
  std::uint64_t generation = 0;  ///< which change of its process's endpoints it was
  std::string process;           ///< file name of the process's lease
  pid_t pid = 0;                 ///< in the reader's PID namespace; in the process's own where that sees none

  bool operator==(const Endpoint&) const = default;
};

/// Why an endpoint is gone.
enum class Departure : std::uint8_t {
  left,  ///< it was removed, or its process left the domain
  died   ///< its process ended without a farewell
};

/// "publisher", "subscription", "node"; "left", "died".
const char* to_string(EndpointKind kind) noexcept;
const char* to_string(Departure reason) noexcept;
/// Whether a node's endpoint says more than the node's name. Those of other kinds: false.
bool says_too_much(const Endpoint& endpoint) noexcept;
/// "/controller (process 4711)". Allocates.
std::string owner_of(const Endpoint& endpoint);
/// "RIHS01_" and 64 hexadecimal digits, or "unknown". Allocates.
std::string to_string(const TypeHash& hash);
/// Back from that text; all zero for another one.
TypeHash type_hash_of(std::string_view text) noexcept;

}  // namespace takt::shm

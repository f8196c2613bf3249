// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "takt/transport/shm/endpoint.hpp"

/// The datagrams by which the processes of a domain tell each other of their endpoints, as
/// docs/formats/shm-discovery.md specifies them. Pure functions; all allocate.
namespace takt::shm {

inline constexpr std::uint16_t kAnnouncementVersion = 2;
inline constexpr std::size_t kMaxDatagram = std::size_t{32} * 1024;
inline constexpr std::size_t kHeaderBytes = 120;
inline constexpr std::size_t kMaxProcessName = 63;

/// One change of a process's endpoints. Of a removed one only id and generation are meant.
struct EndpointChange {
  bool added = true;
  Endpoint endpoint;
  bool operator==(const EndpointChange&) const = default;
};

/// One datagram. Every change of a process's endpoints has a number, its generation, from 2 on; with 1 the
/// process has just begun. `changes` is all that still matters of (base, upto], in ascending order.
struct Announcement {
  enum class Kind : std::uint16_t { update = 1, farewell = 2 };

  Kind kind = Kind::update;
  bool snapshot = false;      ///< part of a whole state, whose first part has base 0
  bool ask = false;           ///< please send your whole state
  std::string process;        ///< file name of the sender's lease
  std::uint64_t session = 0;  ///< random: the sender's Discovery object
  std::uint64_t base = 0;
  std::uint64_t upto = 0;
  std::uint64_t latest = 0;  ///< the sender's generation when it sent this
  pid_t pid = 0;             ///< in the sender's PID namespace
  std::vector<EndpointChange> changes;
  bool operator==(const Announcement&) const = default;
};

/// Why a datagram is not understood.
struct Malformed {
  std::string what;  ///< for a log
};
/// It was sent by another version of takt, which is named.
struct OtherVersion {
  std::uint16_t version = 0;
  std::string process;
};

/// Checks every field. What it returns as an Announcement satisfies all rules of the format; the endpoints in
/// it have process and pid filled in from the header.
std::variant<Announcement, Malformed, OtherVersion> decode(std::span<const std::byte> datagram);

/// Writes one datagram.
class AnnouncementWriter {
 public:
  AnnouncementWriter();
  /// False, and nothing written, when it does not fit into kMaxDatagram any more.
  bool try_add(const EndpointChange& change);
  /// Fills in the header; header.changes is ignored. Errors: SetupError for a process name that is too long.
  std::vector<std::byte> finish(const Announcement& header) &&;

 private:
  std::vector<std::byte> bytes_;
  std::uint32_t changes_ = 0;
};

/// Empty, or what of the endpoint does not fit the format ("topic of 2000 bytes, at most 1023").
std::string format_fault(const Endpoint& endpoint);

}  // namespace takt::shm

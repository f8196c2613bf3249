// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "takt/transport/shm/domain.hpp"
#include "takt/transport/shm/message.hpp"
#include "takt/transport/shm/reader.hpp"

/// Looks at the files of a domain from outside: joins nothing, changes nothing, waits for nobody.
namespace takt::shm {

struct SegmentReader {
  std::uint64_t lease = 0;  ///< of its process
  ReaderCounters counters;
  std::uint64_t waiting = 0;  ///< messages that it could take now, or has lost and not counted yet
};

/// What a publisher's segment says. The counters are those of one instant each, not of one instant in all.
struct SegmentStatus {
  SegmentInfo info;
  TypeHash type_hash{};
  bool keep_all = false;
  std::uint32_t depth = 0, retained = 0;
  std::uint32_t slots = 0;
  std::uint32_t slots_in_use = 0;  ///< in the ring or held by a reader
  std::uint32_t slots_held = 0;    ///< held by a reader
  std::uint64_t sent = 0;
  std::uint64_t overwritten = 0;      ///< no longer in the ring
  std::uint64_t taken = 0, lost = 0;  ///< of all readers, those that have left included
  std::uint64_t corrupt = 0;
  std::uint64_t memory = 0;  ///< bytes that the file really takes
  std::vector<SegmentReader> readers;
};

/// Errors: SetupError that names the file and why it cannot be read (another version, damaged). May block.
SegmentStatus inspect_segment(const std::filesystem::path& path);

/// Bells that are in use; empty when there is no such file, or none of this version. May block.
std::optional<std::uint32_t> bells_in_use(const Domain& domain);

}  // namespace takt::shm

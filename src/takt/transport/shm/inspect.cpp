// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/inspect.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "takt/core/error.hpp"
#include "takt/transport/shm/bells.hpp"
#include "takt/transport/shm/layout.hpp"
#include "takt/transport/shm/rows.hpp"

namespace takt::shm {
namespace {

constexpr std::uint64_t kBlock = 512;  // of st_blocks

std::uint64_t memory_of(const std::filesystem::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_blocks) * kBlock : 0;
}

std::vector<SegmentReader> readers_of(const layout::Access& access, std::uint64_t sent) {
  std::vector<SegmentReader> readers;
  for (std::uint32_t i = 0; i < access.rows_used(); ++i) {
    const auto& row = access.row(i);
    SegmentReader reader;
    reader.lease = row.owner.load();
    if (reader.lease == 0) continue;
    reader.counters = {row.taken.load(), row.lost.load(), row.corrupt.load()};
    const auto next = row.next.load();
    reader.waiting = next <= sent ? sent + 1 - next : 0;  // one that is about to attach reads nothing yet
    readers.push_back(reader);
  }
  return readers;
}

void count_slots(const layout::Access& access, SegmentStatus& status) {
  std::vector<bool> used(status.slots);
  for (std::uint32_t i = 0; i < status.slots; ++i) {
    used[i] = access.is_held(i);
    status.slots_held += used[i] ? 1U : 0U;
  }
  for (std::uint32_t i = 0; i < status.depth; ++i) {
    const auto entry = access.entry(i).load();
    const auto slot = layout::slot_of(entry);
    if (layout::sequence_of(entry) != 0 && slot < status.slots) used[slot] = true;
  }
  status.slots_in_use = static_cast<std::uint32_t>(std::ranges::count(used, true));
}

}  // namespace

SegmentStatus inspect_segment(const std::filesystem::path& path) {
  const auto segment = Segment::open(path);
  const auto [header, geometry] = layout::check_header(segment, nullptr);
  const layout::Access access(segment.data(), geometry);
  SegmentStatus status;
  status.info = info_of(header);
  status.type_hash = header.prefix.type_hash;
  status.keep_all = header.keep_all != 0;
  status.depth = header.depth;
  status.retained = header.retained;
  status.slots = header.slots;
  status.sent = std::max<std::uint64_t>(access.head().next.load(), 1) - 1;
  status.overwritten = status.sent > status.depth ? status.sent - status.depth : 0;
  status.readers = readers_of(access, status.sent);
  status.taken = access.control().departed_taken.load();
  status.lost = access.control().departed_lost.load();
  for (const auto& reader : status.readers) {
    status.taken += reader.counters.taken;
    status.lost += reader.counters.lost;
    status.corrupt += reader.counters.corrupt;
  }
  count_slots(access, status);
  status.memory = memory_of(path);
  return status;
}

std::optional<std::uint32_t> bells_in_use(const Domain& domain) {
  constexpr std::uint64_t kNobody = 1;  // only looks: claims no row in anybody's name
  if (!std::filesystem::exists(domain.path() / kBellsName)) return {};
  try {
    return Bells::open(domain, kNobody)->in_use();
  } catch (const SetupError&) {
    return {};
  }
}

}  // namespace takt::shm

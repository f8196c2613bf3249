// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/rows.hpp"

#include "takt/core/lease.hpp"
#include "takt/transport/shm/domain.hpp"

namespace takt::shm::rows {
namespace {

/// Rows are used from the first on, so that the writer looks at few.
void count_as_used(const layout::Access& access, std::uint32_t row) noexcept {
  auto& used = access.control().rows_used;
  auto seen = used.load();
  while (seen < row + 1 && !used.compare_exchange_weak(seen, row + 1)) {
  }
}

void clear_holds(const layout::Access& access, std::uint32_t row) noexcept {
  const auto mask = ~(std::uint64_t{1} << (row % 64));
  for (std::uint32_t slot = 0; slot < access.geometry().slots; ++slot)
    access.hold(slot, row / 64).fetch_and(mask);
}

}  // namespace

std::optional<std::uint32_t> claim(const layout::Access& access, const std::filesystem::path& folder,
                                   std::uint64_t lease) noexcept {
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (std::uint32_t row = 0; row < access.geometry().rows; ++row) {
      std::uint64_t free = 0;
      if (!access.row(row).owner.compare_exchange_strong(free, lease)) continue;
      access.row(row).next = kReadsNothingYet;
      count_as_used(access, row);
      return row;
    }
    reclaim(access, folder, lease);
  }
  return std::nullopt;
}

void release(const layout::Access& access, std::uint32_t index) noexcept {
  auto& row = access.row(index);
  access.wake(index) = 0;
  row.next = kReadsNothingYet;
  access.control().departed_taken.fetch_add(row.taken.exchange(0));
  access.control().departed_lost.fetch_add(row.lost.exchange(0));
  row.corrupt = 0;
  row.owner = 0;  // last: until here whoever finds this process dead begins again
}

std::uint32_t reclaim(const layout::Access& access, const std::filesystem::path& folder,
                      std::uint64_t lease) noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t row = 0; row < access.rows_used(); ++row) {
    auto owner = access.row(row).owner.load();
    if (owner == 0 || owner == lease || Lease::alive(folder / Domain::name_of("lease", owner))) continue;
    // Takes the dead one's place first: one reclaims it, and if that one dies meanwhile it is found again.
    if (!access.row(row).owner.compare_exchange_strong(owner, lease)) continue;
    clear_holds(access, row);
    release(access, row);
    ++count;
  }
  return count;
}

}  // namespace takt::shm::rows

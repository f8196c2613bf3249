// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "takt/transport/shm/layout.hpp"

/// The rows in which the readers of a segment say of themselves what the writer must know. Internal to this
/// folder. A row is its reader's as long as the lease that it names is alive; whoever finds it dead may free
/// it.
namespace takt::shm::rows {

inline constexpr std::uint64_t kReadsNothingYet = ~std::uint64_t{0};

/// A free row, now owned by `lease`; it has no bell yet and holds the writer up in nothing. Empty when all
/// are taken by living processes. May block.
std::optional<std::uint32_t> claim(const layout::Access& access, const std::filesystem::path& folder,
                                   std::uint64_t lease) noexcept;

/// Frees a row whose holds have been released.
void release(const layout::Access& access, std::uint32_t row) noexcept;

/// Frees the rows of dead processes and the holds of those, and returns how many rows those were. May block.
std::uint32_t reclaim(const layout::Access& access, const std::filesystem::path& folder,
                      std::uint64_t lease) noexcept;

}  // namespace takt::shm::rows

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "takt/timing/record.hpp"

namespace takt::timing {

/// One finished activation, as the search for who blocked whom needs it.
struct Past {
  std::int64_t start_ns = 0;
  std::int64_t finish_ns = 0;
  std::int64_t response_ns = 0;
  std::int64_t lateness_ns = 0;
  std::int64_t origin_ns = 0;
  std::uint64_t index = 0;
  SectionId section = 0;
  SectionId origin_section = 0;
  std::uint32_t group = 0;
  std::uint32_t worker = 0;
};

/// Who covered how much of the time that an activation waited.
struct Blocker {
  SectionId section = 0;
  std::uint64_t index = 0;
  std::int64_t ns = 0;
};
struct Blocked {
  std::int64_t total_ns = 0;      ///< the union: overlaps count once
  std::array<Blocker, 3> most{};  ///< the largest first; section 0: none
};

/// The last activations of all workers in order of start. Fixed storage.
class History {
 public:
  explicit History(std::uint32_t size = 2048) : past_(size) {}

  void add(const Past& past) noexcept { past_[next_++ % past_.size()] = past; }
  /// How much of [from, to] was covered by activations that had ended by `to`, on `worker` or of `group` (0:
  /// no group).
  Blocked blocked(std::int64_t from_ns, std::int64_t to_ns, std::uint32_t worker,
                  std::uint32_t group) const noexcept;
  /// The longest activation of the worker, or gap between two, within [from, to].
  std::int64_t longest_stretch(std::int64_t from_ns, std::int64_t to_ns, std::uint32_t worker) const noexcept;
  /// Of the activations with this origin the one with the largest response; nullptr when none is remembered.
  const Past* slowest_of(std::int64_t origin_ns, SectionId origin_section) const noexcept;
  void clear() noexcept { next_ = 0; }

 private:
  std::uint64_t first() const noexcept { return next_ > past_.size() ? next_ - past_.size() : 0; }

  std::vector<Past> past_;
  std::uint64_t next_ = 0;
};

}  // namespace takt::timing

// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/history.hpp"

#include <algorithm>

namespace takt::timing {

Blocked History::blocked(std::int64_t from_ns, std::int64_t to_ns, std::uint32_t worker,
                         std::uint32_t group) const noexcept {
  Blocked blocked;
  auto covered_to = from_ns;  // starts only grow, so one mark is enough for the union
  for (auto i = first(); i < next_; ++i) {
    const auto& p = past_[i % past_.size()];
    const bool in_the_way = p.worker == worker || (group != 0 && p.group == group);
    if (!in_the_way || p.finish_ns <= covered_to || p.finish_ns > to_ns) continue;
    const auto ns = p.finish_ns - std::max(p.start_ns, covered_to);
    covered_to = p.finish_ns;
    blocked.total_ns += ns;
    auto& last = blocked.most.back();
    if (ns > last.ns) {
      last = {p.section, p.index, ns};
      std::sort(blocked.most.begin(), blocked.most.end(),
                [](const Blocker& a, const Blocker& b) { return a.ns > b.ns; });
    }
  }
  return blocked;
}

std::int64_t History::longest_stretch(std::int64_t from_ns, std::int64_t to_ns,
                                      std::uint32_t worker) const noexcept {
  std::int64_t longest = 0;
  auto last = from_ns;
  for (auto i = first(); i < next_; ++i) {
    const auto& p = past_[i % past_.size()];
    if (p.worker != worker || p.finish_ns <= last || p.finish_ns > to_ns) continue;
    const auto begun = std::max(p.start_ns, last);
    longest = std::max({longest, begun - last, p.finish_ns - begun});
    last = p.finish_ns;
  }
  return std::max(longest, to_ns - last);
}

const Past* History::slowest_of(std::int64_t origin_ns, SectionId origin_section) const noexcept {
  const Past* slowest = nullptr;
  for (auto i = first(); i < next_; ++i) {
    const auto& p = past_[i % past_.size()];
    if (p.origin_ns != origin_ns || p.origin_section != origin_section) continue;
    if (slowest == nullptr || p.response_ns > slowest->response_ns) slowest = &p;
  }
  return slowest;
}

}  // namespace takt::timing

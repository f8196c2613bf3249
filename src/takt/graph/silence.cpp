// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/silence.hpp"

#include <algorithm>

namespace takt {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
std::int64_t ns_of(SteadyTime t) noexcept { return t.time_since_epoch().count(); }

}  // namespace

bool Silence::begin(SteadyTime now) noexcept {
  auto since = kNotBegun;
  return since_ns_.compare_exchange_strong(since, ns_of(now), kRelaxed);
}

void Silence::move_to(SteadyTime at, bool counts) noexcept {
  auto since = since_ns_.load(kRelaxed);
  do {
    if (ns_of(at) <= since) return;  // also when not begun
  } while (!since_ns_.compare_exchange_weak(since, ns_of(at), kRelaxed));
  if (!counts) return;
  if (const auto n = periods(since, ns_of(at)); n > 0)
    passed_.fetch_add(static_cast<std::uint64_t>(n), kRelaxed);
}

void Silence::look(SteadyTime now, SteadyTime newest) noexcept {
  auto since = since_ns_.load(kRelaxed);
  std::int64_t n = 0;
  std::int64_t moved = 0;
  do {
    if (since == kNotBegun) return;
    const auto from = std::max(since, ns_of(newest));
    n = periods(from, ns_of(now));
    if (n == 0) return;  // what is known of but not heard yet counts when it is
    moved = from + n * longest_.count();
  } while (!since_ns_.compare_exchange_weak(since, moved, kRelaxed));
  passed_.fetch_add(static_cast<std::uint64_t>(n), kRelaxed);
}

SteadyTime Silence::next_look(SteadyTime newest) const noexcept {
  const auto since = since_ns_.load(kRelaxed);
  if (since == kNotBegun) return kNever;
  const SteadyTime from{Duration{std::max(since, ns_of(newest))}};
  return longest_ >= kNever - from ? kNever : from + longest_ + Duration{1};
}

}  // namespace takt

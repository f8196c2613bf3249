// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/silence.hpp"

#include <algorithm>

namespace takt {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
}  // namespace

bool Silence::begin(SteadyTime now) noexcept {
  auto since = kNotBegun;
  return since_ns_.compare_exchange_strong(since, as_ns(now), kRelaxed);
}

void Silence::move_to(SteadyTime at, bool counts) noexcept {
  auto since = since_ns_.load(kRelaxed);
  do {
    if (as_ns(at) <= since) return;  // also when not begun
  } while (!since_ns_.compare_exchange_weak(since, as_ns(at), kRelaxed));
  if (!counts) return;
  if (const auto n = periods(since, as_ns(at)); n > 0)
    passed_.fetch_add(static_cast<std::uint64_t>(n), kRelaxed);
}

bool Silence::look(SteadyTime now, SteadyTime newest) noexcept {
  auto since = since_ns_.load(kRelaxed);
  if (since != kNotBegun && as_ns(newest) > since && awaited_ns_.exchange(since, kRelaxed) != since)
    return false;
  std::int64_t n = 0;
  std::int64_t moved = 0;
  do {
    if (since == kNotBegun) return true;
    const auto from = std::max(since, as_ns(newest));
    n = periods(from, as_ns(now));
    if (n == 0) return true;  // what is known of but not heard yet counts when it is
    moved = from + n * longest_.count();
  } while (!since_ns_.compare_exchange_weak(since, moved, kRelaxed));
  passed_.fetch_add(static_cast<std::uint64_t>(n), kRelaxed);
  return true;
}

SteadyTime Silence::next_look(SteadyTime newest) const noexcept {
  const auto since = since_ns_.load(kRelaxed);
  if (since == kNotBegun) return kNever;
  const SteadyTime from{Duration{std::max(since, as_ns(newest))}};
  return longest_ >= kNever - from ? kNever : from + longest_ + Duration{1};
}

}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/pace.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "lab/comm/round.hpp"

namespace takt::lab::comm {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

Duration expected_of(const StackFacts& stack, const Round& round, std::uint32_t rounds, bool kept) {
  const double n = round.readers;
  const auto& cost = stack.cost;
  const Milliseconds set_up{cost.fixed_ms + cost.reader_ms * n + cost.pair_ms * n * n};
  const auto most = patience_for(round);  // one that takes longer has failed, and is not tried again
  if (set_up > most) return most;
  const Milliseconds sending = Duration{round.period_ns} * (round.samples + round.warmup);
  const Milliseconds turn{kept ? 30 + n / 2 : 0};  // it is stopped and goes on
  return std::chrono::duration_cast<Duration>(set_up * (kept ? 1 : rounds) + (sending + turn) * rounds);
}

}  // namespace

bool are_kept(const StackFacts& stack, const Point& point) {
  if (point.subscribers < kKeptFrom) return false;
  if (!stack.roudi) return true;
  constexpr std::uint32_t kProcessesOfRoudi = 300;
  return stack.name.starts_with("cyclonedds") && 2 * (point.subscribers + 1) < kProcessesOfRoudi;
}

Duration expected_at(const Plan& plan, const Point& point) {
  Duration sum{};
  const auto add = [&](const StackFacts& stack) {
    if (why_not_built(stack).empty())
      sum += expected_of(stack, plan.round_at(point), plan.rounds, are_kept(stack, point));
  };
  for (const auto& name : plan.stacks) {
    add(*find_stack(name));
    if (name == kBaseline) add(*find_stack(name));  // a second time
  }
  return sum;
}

Pace::Pace(const Plan& plan, std::size_t begin) {
  const auto points = plan.points();
  for (auto i = begin; i < points.size(); ++i) points_.push_back(expected_at(plan, points[i]));
  expected_ = std::accumulate(points_.begin(), points_.end(), Duration{});
}

Duration Pace::remaining(std::size_t points, double share, Duration elapsed) const {
  const auto at = points_.begin() + static_cast<std::ptrdiff_t>(std::min(points, points_.size()));
  auto done = std::accumulate(points_.begin(), at, Duration{});
  if (at != points_.end())
    done += Duration{static_cast<std::int64_t>(share * static_cast<double>(at->count()))};
  // The model counts as much as what was seen after its first minute.
  const double model = 60e9;
  const double ratio =
      (static_cast<double>(elapsed.count()) + model) / (static_cast<double>(done.count()) + model);
  return Duration{static_cast<std::int64_t>(ratio * static_cast<double>((expected_ - done).count()))};
}

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "takt/core/time.hpp"

/// What a hop through a topic costs, and what the same costs without takt. All results are microseconds.
namespace takt::lab::performance {

/// A ring of ten nodes on one executor, each publishing a loan to the next: the mean time of a hop, one
/// sample a lap.
std::vector<double> topic_hops(std::size_t laps);
/// The same bodies called directly, the same stamps taken.
std::vector<double> direct_hops(std::size_t laps);

/// A 1 kHz timer that publishes to a subscription of the same executor: from the publish to the start of the
/// callback.
std::vector<double> timer_to_subscription(std::size_t samples);
/// The same timer calls the function directly.
std::vector<double> timer_to_call(std::size_t samples);

/// A thread that publishes at 1 kHz to a subscription whose executor sleeps in another: from the publish to
/// the callback.
std::vector<double> across_threads(std::size_t samples);
/// The same hand-off by a bare futex word.
std::vector<double> across_threads_futex(std::size_t samples);

}  // namespace takt::lab::performance

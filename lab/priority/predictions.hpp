// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/common/prediction.hpp"
#include "lab/priority/run.hpp"

namespace takt::lab::priority {

/// A claim that is made before anything runs, and how it is checked afterwards.
struct Claim {
  Prediction prediction;  ///< without what is measured
  int design = 0;
  /// The runs that it needs: of that design, with real-time priority, without, or both.
  bool needs_real_time = false;
  bool needs_normal = false;
  /// From the runs, in this order; unset: no samples.
  std::function<std::optional<double>(const RunResult* real_time, const RunResult* normal)> measure;
  double at_least = 0;
  double at_most = 0;
};

/// How late a thread with real-time priority may wake up at the 99th percentile: the machine's doing, whoever
/// waits (cyclictest under load: some 10 us on a machine of one's own, about 1 ms where a hypervisor delivers
/// the interrupts).
double expected_wake_up_ms(const Environment& environment);

/// What is claimed of these runs. A claim whose runs are not among them is left out.
std::vector<Claim> claims_about(std::span<const RunPlan> runs, double wake_up_ms);

/// Checks each; not judged where a run was refused, was ended early, proves nothing or has no samples.
std::vector<Prediction> check(const std::vector<Claim>& claims, std::span<const RunResult> results);

}  // namespace takt::lab::priority

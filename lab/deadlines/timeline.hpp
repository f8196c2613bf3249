// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/common/report.hpp"
#include "lab/deadlines/run.hpp"

namespace takt::lab::deadlines {

/// Charts of one phase on one time axis (seconds since its first kept callback): intervals and responses with
/// the misses by cause, and under simulated time the real time factor of each window. Stretches in which the
/// CPU quota had the group stopped, or the clock was silent, are shaded in all of them. The phase must have
/// been measured.
std::vector<Chart> timeline_of(const PhaseResult& result);

}  // namespace takt::lab::deadlines

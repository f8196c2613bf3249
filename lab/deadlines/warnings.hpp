// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "lab/common/envelope.hpp"
#include "lab/common/quota_group.hpp"
#include "lab/deadlines/run.hpp"

namespace takt::lab::deadlines {

/// Adds what a reader of a phase's figures has to know: who else used the machine, or stopped the phase.
void warn_of(Envelope& envelope, const PhaseResult& result, const RunSetup& setup);
/// That there are fewer runs than the user wanted.
void warn_of_runs(Envelope& envelope, std::size_t runs, std::size_t wanted);
/// The same of the limits that a run is held to.
void warn_of_limits(Envelope& envelope, const RunSetup& setup, const QuotaGroup& group);

}  // namespace takt::lab::deadlines

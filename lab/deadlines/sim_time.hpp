// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "lab/deadlines/control_node.hpp"
#include "lab/deadlines/run.hpp"
#include "takt/takt.hpp"

namespace takt::lab::deadlines {

/// A node on the wall clock, or one that hears /clock as the set-up says.
NodeOptions node_options(const Phase& phase, const RunSetup& setup, std::shared_ptr<Context> context);

/// Spins until the node's clock has started. Returns the seconds that it took; unset when an Interrupt came
/// first. Errors: CannotMeasure when there is no /clock within `patience`; ClockDied when its process has
/// ended.
std::optional<double> wait_for_clock(Executor& executor, ControlNode& node, ClockProcess& process,
                                     Duration patience);

}  // namespace takt::lab::deadlines

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <vector>

#include "lab/common/console.hpp"
#include "lab/common/output_dir.hpp"
#include "lab/common/quota_group.hpp"
#include "lab/deadlines/results.hpp"

namespace takt::lab::deadlines {

/// Runs of an experiment, one after the other; every one within its limits.
struct Session {
  std::vector<Phase> phases;
  GroupLimits limits;
  Experiment& experiment;  ///< takes the results

  /// Makes the control group once, to see that it can be had. Errors: CannotMeasure with the fix.
  void try_limits();

  /// Prints and writes the phases as they end. A signal ends the current one and drops the rest; so does a
  /// failure, which is returned, to be thrown once what was measured is written. A phase whose clock process
  /// dies is not measured, and the rest goes on. There is a first run in any case, if only of phases that did
  /// not begin. Errors: a failure of the very first phase.
  std::exception_ptr run(std::size_t runs, const OutputDir& out, Console& console);

 private:
  std::exception_ptr run_once(const OutputDir& out, Console& console);
  std::exception_ptr run_phases(Run& run, const OutputDir& out, Console& console);
  PhaseResult run_with_progress(const Phase& phase, Console& console) const;
  void read_clocks();
};

}  // namespace takt::lab::deadlines

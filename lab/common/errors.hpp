// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "takt/core/error.hpp"

namespace takt::lab {

/// Exit codes of every command (docs/formats). An experiment that ran exits with done, whatever it found.
enum ExitCode : int { kDone = 0, kMissed = 1, kUsage = 2, kCannotMeasure = 3, kNotJudged = 4 };

/// Something that the experiment needs is missing; what() ends with how to mend it. The command exits with
/// kCannotMeasure.
class CannotMeasure : public SetupError {
 public:
  using SetupError::SetupError;
};

}  // namespace takt::lab

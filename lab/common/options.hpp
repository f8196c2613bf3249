// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace takt::lab {

/// For options in seconds: a number (not "nan") above zero and at most `longest`; the message names the value
/// and the range.
CLI::Validator seconds_up_to(double longest);

/// One day: nobody means a longer run.
inline constexpr double kLongestRun = 86400;

}  // namespace takt::lab

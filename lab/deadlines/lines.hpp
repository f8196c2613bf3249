// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/deadlines/run.hpp"

namespace takt::lab::deadlines {

/// The JSON lines of a run, with the field names of the published raw lines.
/// Milliseconds are rounded to three decimals, as there.

/// {"phase": "environment", kernel, kernel_version, python (null), cpus_visible, rmw, discovery_range, ...}
nlohmann::ordered_json environment_line(const RunSetup& setup);
/// With "partial": true, at the end, when the user ended it early; a whole phase has exactly the published
/// fields. {phase, partial, not_measured} where nothing was measured.
nlohmann::ordered_json phase_line(const PhaseResult& result);
/// {"phase": "done", total_wall_s, verdict, results}, and "partial": true when something is.
nlohmann::ordered_json done_line(Duration total, const std::string& verdict, const std::string& results,
                                 bool partial);

/// A phase in results.json: its line, and causes, misses, verdicts, what lengthened its intervals, when the
/// quota had it stopped, and what its clock did.
nlohmann::ordered_json phase_document(const PhaseResult& result);

}  // namespace takt::lab::deadlines

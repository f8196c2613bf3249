// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/common/table.hpp"

/// Tables out of results.json, on the terminal and in the report.
namespace takt::lab::comm {

using Cells = std::vector<nlohmann::ordered_json>;

/// "64 B", "64 KiB untouched".
std::string payload_text(const nlohmann::ordered_json& cell);
/// A figure with so many decimals; "-" where there is none.
std::string figure_text(const nlohmann::ordered_json& cell, const char* key, int decimals = 1);
/// Whether two cells are at the same point of the matrix.
bool same_point(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

/// Every cell: latencies, rate, loss, CPU, memory and takt's standing.
Table cells_table(const Cells& cells);
/// Means by payload and subscribers, a row for each stack, as the published table.
Table matrix_table(const Cells& cells);
/// What each layer of takt adds to the mean: floor, transport, executor.
Table layers_table(const Cells& cells);

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Files that are compiled into the program, so that a report needs nothing but itself.
namespace takt::lab::resources {

std::string_view chart_js() noexcept;    ///< Chart.js (MIT licence, in its first lines)
std::string_view report_js() noexcept;   ///< report.js of this folder
std::string_view report_css() noexcept;  ///< report.css of this folder

}  // namespace takt::lab::resources

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace takt::timing {

/// `label` and then the text, broken between words so that no line is wider than 100 columns; further lines
/// are indented as far as the label reaches, and by `hanging` more. A word that does not fit into a line is
/// cut. Ends with a line break.
std::string paragraph(std::string_view label, std::string_view text, std::size_t hanging = 0);

inline constexpr std::size_t kColumns = 100;

}  // namespace takt::timing

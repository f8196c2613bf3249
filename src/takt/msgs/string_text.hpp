// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace takt::msgs {

/// In double quotes, as JSON and YAML both read it. What is not UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

/// As YAML reads it as a string: without quotes where that is safe, else in single ones, else as JSON.
std::string yaml_string(std::string_view text);

/// The first `most` characters and "..." of a longer text; all of it when `most` is 0.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace takt::msgs

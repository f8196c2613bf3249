// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace takt::msgs {

/// The code point at `at`, which is moved behind it; U+FFFD and one byte on where the text is not valid
/// UTF-8.
char32_t next_code_point(std::string_view text, std::size_t& at) noexcept;

void append_utf8(std::string& text, char32_t code_point);

/// A surrogate without its other half becomes U+FFFD.
std::string to_utf8(std::u16string_view text);

std::u16string to_utf16(std::string_view text);

}  // namespace takt::msgs

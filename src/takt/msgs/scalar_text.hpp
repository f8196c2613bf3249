// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "takt/msgs/cdr_writer.hpp"
#include "takt/msgs/type_description.hpp"

namespace takt::msgs {

/// Puts the value that `text` says into the writer: a number, a bool or a string. Whole numbers may be
/// decimal, 0x, 0o or 0b; floats also nan, inf, .nan, .inf, NaN, Infinity. Returns why it is no such value,
/// empty when it is one.
std::string put_scalar(CdrWriter& writer, FieldKind kind, std::size_t string_bound, std::string_view text);

/// The shortest text that reads back as the same number, as in YAML: "1.0", "1e-05", ".nan", "-.inf".
std::string float_text(float value);
std::string float_text(double value);

}  // namespace takt::msgs

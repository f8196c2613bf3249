// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "takt/msgs/cdr_writer.hpp"
#include "takt/msgs/type_description.hpp"

namespace takt::msgs {

/// A string value of a definition, without the quotes around it.
std::string unquoted(std::string_view text);

/// Why a field's default is no value of its type; empty when it is one or there is none.
std::string check_default(const FieldDescription& field);

/// Puts the field's default: what its definition says, else zeros, empty strings and empty sequences.
void put_default(CdrWriter& writer, const FieldDescription& field);

/// Puts the defaults of all fields.
void put_defaults(CdrWriter& writer, const TypeDescription& type);

}  // namespace takt::msgs

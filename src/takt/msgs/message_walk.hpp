// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "takt/msgs/cdr_status.hpp"
#include "takt/msgs/field_path.hpp"
#include "takt/msgs/type_description.hpp"

namespace takt::msgs {

/// Is told what a message holds, in order, by walk(). Whatever is not overridden is passed over.
class MessageHandler {
 public:
  virtual ~MessageHandler() = default;

  virtual void begin_message(const TypeDescription&) {}
  virtual void end_message(const TypeDescription&) {}
  virtual void begin_field(const FieldDescription&) {}
  virtual void end_field(const FieldDescription&) {}
  /// Returns how many of the elements are wanted, counted from the first.
  virtual std::size_t begin_array(const FieldDescription&, std::size_t count) { return count; }
  virtual void end_array(const FieldDescription&) {}

  virtual void on_bool(bool) {}
  virtual void on_signed(std::int64_t) {}
  virtual void on_unsigned(std::uint64_t) {}
  virtual void on_float(float) {}
  virtual void on_double(double) {}
  virtual void on_string(std::string_view) {}  ///< a wide string is turned into UTF-8
};

/// Walks a message's bytes by its description: of either byte order, and whatever they are. With a path, the
/// handler is told only what lies there, as if it were the whole. A false status says what is wrong; its
/// field names live in `type`. May allocate only for wide strings.
CdrStatus walk(const TypeDescription& type, std::span<const std::byte> bytes, MessageHandler& handler,
               const FieldPath& path = {});

/// Whether the bytes are a message of that type.
CdrStatus check(const TypeDescription& type, std::span<const std::byte> bytes);

}  // namespace takt::msgs

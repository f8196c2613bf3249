// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/message_walk.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "takt/msgs/cdr_reader.hpp"
#include "takt/msgs/unicode.hpp"

namespace takt::msgs {

namespace {

/// One walk. The handler is told of everything, or only of what lies at the path.
class Walk {
 public:
  Walk(std::span<const std::byte> bytes, MessageHandler* handler, const FieldPath& path)
      : reader_(bytes), handler_(handler), path_(path) {}

  CdrStatus run(const TypeDescription& type) {
    if (reader_.good()) message(type, path_.empty() ? handler_ : nullptr, 0);
    return reader_.status();
  }

 private:
  static constexpr std::size_t kOffPath = ~std::size_t{0};

  /// `depth` is how many steps of the path have led here, or kOffPath.
  bool message(const TypeDescription& type, MessageHandler* told, std::size_t depth) {
    if (told) told->begin_message(type);
    for (const FieldDescription& field : type.fields) {
      if (!one_field(field, told, depth)) {
        reader_.status().add_field(field.name.c_str());
        return false;
      }
    }
    if (told) told->end_message(type);
    return true;
  }

  bool one_field(const FieldDescription& field, MessageHandler* told, std::size_t depth) {
    const bool on_path = !told && depth < path_.size() && path_[depth].field == &field;
    if (on_path) {
      const bool is_goal = depth + 1 == path_.size() && !path_[depth].element;
      return content(field, is_goal ? handler_ : nullptr, depth);
    }
    MessageHandler* const here = field.name == kEmptyMessageField ? nullptr : told;
    if (here) here->begin_field(field);
    if (!content(field, here, kOffPath)) return false;
    if (here) here->end_field(field);
    return true;
  }

  bool content(const FieldDescription& field, MessageHandler* told, std::size_t depth) {
    if (field.array == ArrayKind::kSingle) return element(field, told, depth == kOffPath ? depth : depth + 1);
    std::uint32_t count = 0;
    if (!array_length(field, count)) return false;
    const std::size_t wanted = told ? told->begin_array(field, count) : 0;
    if (!elements(field, count, told, std::min<std::size_t>(wanted, count), depth)) return false;
    if (told) told->end_array(field);
    return true;
  }

  bool array_length(const FieldDescription& field, std::uint32_t& count) {
    if (field.array == ArrayKind::kFixed) {
      count = static_cast<std::uint32_t>(field.capacity);
      return true;
    }
    std::size_t element_size = width_of(field.kind);
    if (field.kind == FieldKind::kMessage) element_size = field.nested->at_least;
    if (element_size == 0) element_size = 4;
    if (!reader_.get_length(element_size, count)) return false;
    if (field.array == ArrayKind::kBounded && count > field.capacity) {
      return reader_.fail_length(CdrProblem::kBound, count);
    }
    return true;
  }

  bool elements(const FieldDescription& field, std::size_t count, MessageHandler* told, std::size_t wanted,
                std::size_t depth) {
    const bool to_goal = depth != kOffPath && path_[depth].element;
    for (std::size_t i = 0; i < count; ++i) {
      const bool on_path = to_goal && *path_[depth].element == i;
      const std::size_t width = width_of(field.kind);
      if (i >= wanted && !to_goal && width > 0 && field.kind != FieldKind::kBool) {
        const std::byte* unread = nullptr;
        return reader_.get_bytes((count - i) * width, width, unread);
      }
      MessageHandler* here = i < wanted ? told : nullptr;
      if (on_path && depth + 1 == path_.size()) here = handler_;
      if (!element(field, here, on_path ? depth + 1 : kOffPath)) return false;
    }
    return true;
  }

  bool element(const FieldDescription& field, MessageHandler* told, std::size_t depth) {
    switch (field.kind) {
      case FieldKind::kMessage:
        return message(*field.nested, told, depth);
      case FieldKind::kInt8:
        return number<std::int8_t>(told, &MessageHandler::on_signed);
      case FieldKind::kInt16:
        return number<std::int16_t>(told, &MessageHandler::on_signed);
      case FieldKind::kInt32:
        return number<std::int32_t>(told, &MessageHandler::on_signed);
      case FieldKind::kInt64:
        return number<std::int64_t>(told, &MessageHandler::on_signed);
      case FieldKind::kByte:
      case FieldKind::kUint8:
        return number<std::uint8_t>(told, &MessageHandler::on_unsigned);
      case FieldKind::kUint16:
        return number<std::uint16_t>(told, &MessageHandler::on_unsigned);
      case FieldKind::kUint32:
        return number<std::uint32_t>(told, &MessageHandler::on_unsigned);
      case FieldKind::kUint64:
        return number<std::uint64_t>(told, &MessageHandler::on_unsigned);
      case FieldKind::kFloat32:
        return number<float>(told, &MessageHandler::on_float);
      case FieldKind::kFloat64:
        return number<double>(told, &MessageHandler::on_double);
      case FieldKind::kBool:
        return number<bool>(told, &MessageHandler::on_bool);
      case FieldKind::kString:
        return string(field, told);
      case FieldKind::kWString:
        return wide_string(field, told);
    }
    return false;
  }

  template <typename T, typename Event>
  bool number(MessageHandler* told, Event event) {
    T value{};
    if (!reader_.get(value)) return false;
    if (told) (told->*event)(value);
    return true;
  }

  bool string(const FieldDescription& field, MessageHandler* told) {
    const char* data = nullptr;
    std::size_t size = 0;
    if (!reader_.get_string(field.string_bound, data, size)) return false;
    if (told) told->on_string({data, size});
    return true;
  }

  bool wide_string(const FieldDescription& field, MessageHandler* told) {
    std::uint32_t length = 0;
    if (!reader_.get_length(sizeof(std::uint32_t), length)) return false;
    if (field.string_bound != 0 && length > field.string_bound) {
      return reader_.fail_length(CdrProblem::kBound, length);
    }
    std::u16string text;
    for (std::uint32_t i = 0; i < length; ++i) {
      std::uint32_t wide = 0;
      if (!reader_.get(wide)) return false;
      if (wide > 0xFFFF) return reader_.fail(CdrProblem::kCharacter, wide);
      text += static_cast<char16_t>(wide);
    }
    if (told) told->on_string(to_utf8(text));
    return true;
  }

  CdrReader reader_;
  MessageHandler* handler_;
  const FieldPath& path_;
};

}  // namespace

CdrStatus walk(const TypeDescription& type, std::span<const std::byte> bytes, MessageHandler& handler,
               const FieldPath& path) {
  return Walk(bytes, &handler, path).run(type);
}

CdrStatus check(const TypeDescription& type, std::span<const std::byte> bytes) {
  return Walk(bytes, nullptr, {}).run(type);
}

}  // namespace takt::msgs

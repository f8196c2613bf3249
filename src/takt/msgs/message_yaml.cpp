// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "takt/msgs/message_text.hpp"
#include "takt/msgs/message_walk.hpp"
#include "takt/msgs/scalar_text.hpp"
#include "takt/msgs/string_text.hpp"

namespace takt::msgs {

namespace {

/// Writes a message as block YAML.
class YamlPrinter final : public MessageHandler {
 public:
  YamlPrinter(const TextOptions& options, std::string& text) : options_(options), text_(text) {}

  void begin_message(const TypeDescription& type) override {
    switch (place_.back()) {
      case Place::kTop:
        if (is_empty(type)) text_ += "{}\n";
        break;
      case Place::kField:
        text_ += is_empty(type) ? " {}\n" : "\n";
        ++indent_;
        break;
      case Place::kElement:
        begin_line();
        text_ += is_empty(type) ? "- {}\n" : "- ";
        line_begun_ = !is_empty(type);
        ++indent_;
        break;
    }
  }
  void end_message(const TypeDescription&) override {
    if (place_.back() != Place::kTop) --indent_;
  }

  void begin_field(const FieldDescription& field) override {
    begin_line();
    text_.append(field.name).append(":");
    place_.push_back(Place::kField);
  }
  void end_field(const FieldDescription&) override { place_.pop_back(); }

  std::size_t begin_array(const FieldDescription& field, std::size_t count) override {
    const bool in_field = place_.back() == Place::kField;
    const bool hidden = !options_.arrays && count > 0;
    if (hidden) {
      const std::string summary = fmt::format("{}, {} elements", type_text(field), count);
      fmt::format_to(std::back_inserter(text_), "{}'<{}>'\n", in_field ? " " : "", summary);
    } else if (count == 0) {
      text_ += in_field ? " []\n" : "[]\n";
    } else if (in_field) {
      text_ += '\n';
    }
    const std::size_t most = options_.most_elements;
    const std::size_t shown = hidden ? 0 : most == 0 ? count : std::min(count, most);
    cut_.push_back(!hidden && shown < count);
    place_.push_back(Place::kElement);
    return shown;
  }
  void end_array(const FieldDescription&) override {
    place_.pop_back();
    if (cut_.back()) {
      begin_line();
      text_ += "- '...'\n";
    }
    cut_.pop_back();
  }

  void on_bool(bool value) override { scalar(value ? "true" : "false"); }
  void on_signed(std::int64_t value) override { scalar(fmt::format_int(value).c_str()); }
  void on_unsigned(std::uint64_t value) override { scalar(fmt::format_int(value).c_str()); }
  void on_float(float value) override { scalar(float_text(value)); }
  void on_double(double value) override { scalar(float_text(value)); }
  void on_string(std::string_view value) override {
    scalar(options_.strings ? yaml_string(shortened(value, options_.most_elements))
                            : fmt::format("'<string, {} bytes>'", value.size()));
  }

 private:
  enum class Place { kTop, kField, kElement };

  /// Indents, unless the line already has the dash of an element.
  void begin_line() {
    if (!line_begun_) text_.append(2 * indent_, ' ');
    line_begun_ = false;
  }

  void scalar(std::string_view value) {
    if (place_.back() == Place::kElement) {
      begin_line();
      text_ += "- ";
    } else if (place_.back() == Place::kField) {
      text_ += ' ';
    }
    text_.append(value).append("\n");
  }

  const TextOptions& options_;
  std::string& text_;
  std::vector<Place> place_{Place::kTop};
  std::vector<bool> cut_;  // of each array that is open: whether elements are left out
  std::size_t indent_ = 0;
  bool line_begun_ = false;
};

}  // namespace

CdrStatus append_yaml(const TypeDescription& type, std::span<const std::byte> bytes,
                      const TextOptions& options, std::string& text) {
  YamlPrinter printer(options, text);
  return walk(type, bytes, printer, options.field);
}

}  // namespace takt::msgs

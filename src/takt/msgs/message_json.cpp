// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "takt/msgs/message_text.hpp"
#include "takt/msgs/message_walk.hpp"
#include "takt/msgs/string_text.hpp"

namespace takt::msgs {

namespace {

/// Writes a message as compact JSON.
class JsonPrinter final : public MessageHandler {
 public:
  JsonPrinter(const TextOptions& options, std::string& text) : options_(options), text_(text) {}

  void begin_message(const TypeDescription&) override { open('{'); }
  void end_message(const TypeDescription&) override { close('}'); }

  void begin_field(const FieldDescription& field) override {
    separate();
    text_.append("\"").append(field.name).append("\":");
    separated_ = false;
  }

  std::size_t begin_array(const FieldDescription& field, std::size_t count) override {
    const bool hidden = !options_.arrays && count > 0;
    hidden_.push_back(hidden);
    cut_.push_back(!hidden && options_.most_elements > 0 && count > options_.most_elements);
    if (hidden) {
      value(json_string(fmt::format("<{}, {} elements>", type_text(field), count)));
      return 0;
    }
    open('[');
    return cut_.back() ? options_.most_elements : count;
  }
  void end_array(const FieldDescription&) override {
    if (cut_.back()) value("\"...\"");
    if (!hidden_.back()) close(']');
    cut_.pop_back();
    hidden_.pop_back();
  }

  void on_bool(bool flag) override { value(flag ? "true" : "false"); }
  void on_signed(std::int64_t number) override { value(fmt::format_int(number).c_str()); }
  void on_unsigned(std::uint64_t number) override { value(fmt::format_int(number).c_str()); }
  void on_float(float number) override { floating(number); }
  void on_double(double number) override { floating(number); }
  void on_string(std::string_view text) override {
    value(json_string(options_.strings ? shortened(text, options_.most_elements)
                                       : fmt::format("<string, {} bytes>", text.size())));
  }

 private:
  template <typename T>
  void floating(T number) {
    if (std::isnan(number)) return value("\"NaN\"");
    if (std::isinf(number)) return value(number < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    value(text);
  }

  void separate() {
    if (separated_) text_ += ',';
    separated_ = true;
  }
  void value(std::string_view text) {
    separate();
    text_ += text;
  }
  void open(char bracket) {
    separate();
    text_ += bracket;
    separated_ = false;
  }
  void close(char bracket) {
    text_ += bracket;
    separated_ = true;
  }

  const TextOptions& options_;
  std::string& text_;
  std::vector<bool> hidden_;  // of each array that is open: whether it is only summed up,
  std::vector<bool> cut_;     // and whether elements are left out
  bool separated_ = false;    // whether a comma is due before what comes next
};

}  // namespace

CdrStatus append_json(const TypeDescription& type, std::span<const std::byte> bytes,
                      const TextOptions& options, std::string& text) {
  JsonPrinter printer(options, text);
  return walk(type, bytes, printer, options.field);
}

}  // namespace takt::msgs

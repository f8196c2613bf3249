// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/message_parse.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/msgs/cdr_writer.hpp"
#include "takt/msgs/field_default.hpp"
#include "takt/msgs/scalar_text.hpp"

namespace takt::msgs {

namespace {

/// Puts a message into the writer as a YAML node says it.
class NodeEncoder {
 public:
  NodeEncoder(CdrWriter& writer, const ParseOptions& options) : writer_(writer), options_(options) {}

  void message(const TypeDescription& type, const YAML::Node& node) {
    if (node.IsNull()) return put_defaults(writer_, type);
    if (node.IsScalar() && put_now(type, node.Scalar())) return;
    if (!node.IsMap()) fail(node, fmt::format("a {} is a map of its fields", type.name));
    refuse_unknown(type, node);
    for (const FieldDescription& field : type.fields) {
      const YAML::Node value = node[field.name];
      if (!value || value.IsNull()) {
        put_default(writer_, field);
        continue;
      }
      const std::size_t outer = path_.size();
      path_ += (outer == 0 ? "" : ".") + field.name;
      one_field(field, value);
      path_.resize(outer);
    }
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, const std::string& what) const {
    const std::string where = path_.empty() ? "the message" : "field " + path_;
    throw SetupError(fmt::format("{}: {} (line {})", where, what, node.Mark().line + 1));
  }

  void refuse_unknown(const TypeDescription& type, const YAML::Node& node) const {
    for (const auto& entry : node) {
      const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      const auto same = [&name](const FieldDescription& field) { return field.name == name; };
      if (std::any_of(type.fields.begin(), type.fields.end(), same)) continue;
      std::string known;
      for (const FieldDescription& field : type.fields) {
        if (field.name != kEmptyMessageField) known += (known.empty() ? "" : ", ") + field.name;
      }
      fail(entry.first,
           fmt::format("{} has no field '{}'; it has {}", type.name, name, known.empty() ? "none" : known));
    }
  }

  void one_field(const FieldDescription& field, const YAML::Node& node) {
    if (field.array == ArrayKind::kSingle) return element(field, node);
    if (!node.IsSequence()) fail(node, fmt::format("a {} is a list", type_text(field)));
    const bool too_many = field.array != ArrayKind::kUnbounded && node.size() > field.capacity;
    if (too_many || (field.array == ArrayKind::kFixed && node.size() < field.capacity)) {
      fail(node, fmt::format("{} elements do not make a {}", node.size(), type_text(field)));
    }
    if (field.array != ArrayKind::kFixed) writer_.put_length(node.size());
    std::size_t index = 0;
    for (const YAML::Node& one : node) {
      const std::size_t outer = path_.size();
      path_ += fmt::format("[{}]", index++);
      element(field, one);
      path_.resize(outer);
    }
  }

  void element(const FieldDescription& field, const YAML::Node& node) {
    if (field.nested) return message(*field.nested, node);
    if (!node.IsScalar()) fail(node, fmt::format("a {} is a single value", name_of(field.kind)));
    const std::string wrong = put_scalar(writer_, field.kind, field.string_bound, node.Scalar());
    if (!wrong.empty()) fail(node, wrong);
  }

  bool put_now(const TypeDescription& type, const std::string& word) {
    if (!options_.now_ns) return false;
    const bool is_header = word == "auto" && type.name == "std_msgs/msg/Header";
    if (!is_header && !(word == "now" && type.name == "builtin_interfaces/msg/Time")) return false;
    constexpr std::int64_t kSecond = 1'000'000'000;
    writer_.put(static_cast<std::int32_t>(*options_.now_ns / kSecond));
    writer_.put(static_cast<std::uint32_t>(*options_.now_ns % kSecond));
    if (is_header) put_scalar(writer_, FieldKind::kString, 0, "");
    return true;
  }

  CdrWriter& writer_;
  const ParseOptions& options_;
  std::string path_;
};

/// JSON as a YAML node: yaml-cpp alone does not read all of JSON's escapes.
YAML::Node node_of(const nlohmann::ordered_json& json) {
  YAML::Node node;
  if (json.is_object()) {
    node = YAML::Node(YAML::NodeType::Map);
    for (const auto& [name, value] : json.items()) node.force_insert(name, node_of(value));
  } else if (json.is_array()) {
    node = YAML::Node(YAML::NodeType::Sequence);
    for (const auto& value : json) node.push_back(node_of(value));
  } else if (json.is_string()) {
    node = YAML::Node(json.get<std::string>());
  } else if (!json.is_null()) {
    node = YAML::Node(json.dump());
  }
  return node;
}

YAML::Node read(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && text[begin] == '{') {
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!json.is_discarded()) return node_of(json);
  }
  try {
    return YAML::Load(std::string(text));
  } catch (const YAML::Exception& error) {
    throw SetupError(
        fmt::format("the message is neither YAML nor JSON: {} (line {})", error.msg, error.mark.line + 1),
        "write it as in '{data: 1}'");
  }
}

}  // namespace

std::vector<std::byte> parse_message(const TypeDescription& type, std::string_view text,
                                     const ParseOptions& options) {
  const YAML::Node node = read(text);
  CdrWriter measure;
  NodeEncoder(measure, options).message(type, node);
  std::vector<std::byte> bytes(measure.finish());
  CdrWriter writer(bytes);
  NodeEncoder(writer, options).message(type, node);
  writer.finish();
  return bytes;
}

}  // namespace takt::msgs

// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/type_hash.hpp"

#include <fmt/format.h>
#include <sha2.h>
#include <sys/types.h>

#include <array>
#include <cstdint>

namespace takt::msgs {

namespace {

/// The number of FieldType: that of the kind, moved for a bounded string and for an array.
int type_id(const FieldDescription& field) {
  int id = static_cast<int>(field.kind);
  if (field.string_bound > 0) id += 4;
  switch (field.array) {
    case ArrayKind::kSingle:
      return id;
    case ArrayKind::kFixed:
      return id + 48;
    case ArrayKind::kBounded:
      return id + 96;
    case ArrayKind::kUnbounded:
      return id + 144;
  }
  return id;
}

void append_type(std::string& text, const TypeDescription& type) {
  text += fmt::format(R"({{"type_name": "{}", "fields": [)", type.name);
  const char* separator = "";
  for (const FieldDescription& field : type.fields) {
    text += fmt::format(
        R"({}{{"name": "{}", "type": {{"type_id": {}, "capacity": {}, "string_capacity": {}, "nested_type_name": "{}"}}}})",
        separator, field.name, type_id(field), field.capacity, field.string_bound,
        field.nested ? field.nested->name : "");
    separator = ", ";
  }
  text += "]}";
}

}  // namespace

std::string hashed_text(const TypeDescription& type) {
  std::string text = R"({"type_description": )";
  append_type(text, type);
  text += R"(, "referenced_type_descriptions": [)";
  const char* separator = "";
  for (const TypeDescription* referenced : referenced_types(type)) {
    text += separator;
    append_type(text, *referenced);
    separator = ", ";
  }
  return text + "]}";
}

std::string type_hash(const TypeDescription& type) {
  const std::string text = hashed_text(type);
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  SHA256Final(digest.data(), &context);
  std::string hash = "RIHS01_";
  for (const std::uint8_t byte : digest) hash += fmt::format("{:02x}", byte);
  return hash;
}

}  // namespace takt::msgs

// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the first byte chooses a type, the rest are a message of it, or (in the last case) a
// definition. What decode() accepts, the description accepts too; its text makes a message again; nothing may
// crash.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rmw_dds_common/msg/participant_entities_info.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <span>
#include <std_msgs/msg/header.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/msgs/cdr.hpp"
#include "takt/msgs/describe.hpp"
#include "takt/msgs/message_parse.hpp"
#include "takt/msgs/message_text.hpp"
#include "takt/msgs/message_walk.hpp"

namespace {

using namespace takt::msgs;
using Bytes = std::span<const std::byte>;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fputs(what, stderr);
  std::abort();
}

void read_described(const TypeDescription& type, Bytes bytes) {
  std::string yaml;
  std::string json;
  const bool accepted = static_cast<bool>(append_yaml(type, bytes, {}, yaml));
  require(static_cast<bool>(append_json(type, bytes, {}, json)) == accepted, "YAML and JSON disagree\n");
  // What was not UTF-8 has become longer, perhaps over a string's bound.
  const bool is_exact = json.find("\xEF\xBF\xBD") == std::string::npos;
  if (accepted && is_exact) require(!parse_message(type, json).empty(), "the JSON is no message\n");
}

template <typename T>
void read(Bytes bytes) {
  T message;
  const bool accepted = static_cast<bool>(decode(bytes, message));
  require(static_cast<bool>(check(describe<T>(), bytes)) == accepted, "decode() and check() disagree\n");
  if (accepted) {
    std::vector<std::byte> again(serialized_size(message));
    require(encode(message, again) == again.size(), "encode() is not as long as serialized_size()\n");
  }
  read_described(describe<T>(), bytes);
}

void read_definition(std::string text) {
  TypeCatalog catalog;
  try {
    catalog.add_definition("fuzz_msgs/msg/Fuzz", {std::move(text), "Fuzz.msg"});
    const auto type = catalog.get("fuzz_msgs/msg/Fuzz");
    if (type->at_least < 100'000) read_described(*type, parse_message(*type, ""));
  } catch (const takt::SetupError&) {  // what a wrong definition is answered with
  }
}

void read_text(std::string_view text) {
  try {
    const auto bytes = parse_message(describe<rcl_interfaces::msg::ParameterEvent>(), text);
    read<rcl_interfaces::msg::ParameterEvent>(bytes);
  } catch (const takt::SetupError&) {
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      read<rcl_interfaces::msg::ParameterEvent>(bytes);
      break;
    case 1:
      read<rmw_dds_common::msg::ParticipantEntitiesInfo>(bytes);
      break;
    case 2:
      read<sensor_msgs::msg::PointCloud2>(bytes);
      break;
    case 3:
      read<std_msgs::msg::Header>(bytes);
      break;
    case 4:
      read_text(text);
      break;
    default:
      read_definition(std::string(text));
      break;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What holds of every type that comes with takt: messages that Fast-CDR wrote are read, printed and made from
// text again.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "takt/msgs/message_parse.hpp"
#include "takt/msgs/message_text.hpp"
#include "takt/msgs/message_walk.hpp"
#include "takt/msgs/testing/random_message.hpp"
#include "takt/msgs/type_catalog.hpp"

namespace takt::msgs {
namespace {

using testing::RandomMessage;

/// Every type, a service's parts as well.
std::vector<std::shared_ptr<const TypeDescription>> every_type() {
  TypeCatalog catalog;
  std::vector<std::shared_ptr<const TypeDescription>> types;
  for (const std::string& name : catalog.names()) {
    types.push_back(catalog.get(name));
    if (name.find("/srv/") == std::string::npos) continue;
    for (const char* part : {"_Request", "_Response", "_Event"}) types.push_back(catalog.get(name + part));
  }
  return types;
}

TEST(AnyTypeTest, FastCdrsBytesAreAcceptedInBothByteOrders) {
  for (const auto& type : every_type()) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const CdrStatus status = check(*type, RandomMessage(seed, seed % 2 == 1).of(*type));
      EXPECT_TRUE(status) << type->name << ": " << status.text();
    }
  }
}

TEST(AnyTypeTest, YamlTextMakesTheSameBytesAgain) {
  for (const auto& type : every_type()) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const std::vector<std::byte> bytes = RandomMessage(seed).of(*type);
      std::string text;
      ASSERT_TRUE(append_yaml(*type, bytes, {}, text)) << type->name;
      ASSERT_EQ(parse_message(*type, text), bytes) << type->name << "\n" << text;
    }
  }
}

TEST(AnyTypeTest, JsonTextIsJsonAndMakesTheSameBytesAgain) {
  for (const auto& type : every_type()) {
    const std::vector<std::byte> bytes = RandomMessage(7).of(*type);
    std::string text;
    ASSERT_TRUE(append_json(*type, bytes, {}, text)) << type->name;
    ASSERT_TRUE(nlohmann::json::accept(text)) << type->name << "\n" << text;
    ASSERT_EQ(parse_message(*type, text), bytes) << type->name << "\n" << text;
  }
}

TEST(AnyTypeTest, BytesThatEndTooEarlyAreRefused) {
  for (const auto& type : every_type()) {
    const std::vector<std::byte> bytes = RandomMessage(3).of(*type);
    for (std::size_t size = 0; size + 4 <= bytes.size(); ++size) {  // up to three bytes are padding
      ASSERT_FALSE(check(*type, std::span(bytes).first(size))) << type->name << " at " << size;
    }
  }
}

}  // namespace
}  // namespace takt::msgs

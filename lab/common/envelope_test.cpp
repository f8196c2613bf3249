// SPDX-License-Identifier: Apache-2.0
#include "lab/common/envelope.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace takt::lab {
namespace {

TEST(EnvelopeTest, KeysComeFirstAndInOrder) {
  const Envelope envelope{
      {"takt", "lab"}, "2026-01-31T12:00:00Z", std::chrono::milliseconds{1500}, {}, {"careful"}};
  const auto json = document(envelope, {{"designs", nlohmann::ordered_json::array()}});
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema_version", "command", "started_at", "duration_s",
                                            "environment", "warnings", "designs"}));
  EXPECT_DOUBLE_EQ(json["duration_s"], 1.5);
}

TEST(EnvelopeTest, ThisCommandIsThisProgram) {
  const auto command = this_command();
  ASSERT_FALSE(command.empty());
  EXPECT_EQ(std::filesystem::path(command[0]).filename(),
            std::filesystem::read_symlink("/proc/self/exe").filename());
}

TEST(EnvelopeTest, AShellLineCanBePasted) {
  EXPECT_EQ(shell_line({"takt", "--out", "my dir", "it's", ""}), "takt --out 'my dir' 'it'\\''s' ''");
}

TEST(EnvelopeTest, CalendarTimeIsUtc) {
  EXPECT_EQ(iso_time(std::chrono::system_clock::time_point{std::chrono::hours{24}}), "1970-01-02T00:00:00Z");
}

}  // namespace
}  // namespace takt::lab

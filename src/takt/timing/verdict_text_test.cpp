// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "takt/timing/paragraph.hpp"
#include "takt/timing/testing/loop.hpp"
#include "takt/timing/words.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::Loop;

TEST(VerdictText, WorstFirstAndNeverWiderThanThePage) {
  Loop loop;
  auto& fine = loop.timer("fine", 10ms);
  auto& bad = loop.timer("bad_" + std::string(130, 'x'), 10ms);
  loop.timer("idle", 10ms);
  loop.run(fine, 0ms, 1ms);
  for (int i = 0; i < 20; ++i) loop.run(bad, 1ms, 22ms, {.skipped = 2});
  const auto text = to_text(loop.monitor.verdicts());
  const auto at = [&](const char* what) { return text.find(what); };
  EXPECT_LT(at("\nMISSED"), at("\nNOT JUDGED"));
  EXPECT_LT(at("\nNOT JUDGED"), at("\nMET"));
  EXPECT_THAT(text, HasSubstr("idle: no activations"));
  EXPECT_THAT(text, HasSubstr("verdict: 1 MISSED, 1 NOT JUDGED, 1 MET"));
  EXPECT_THAT(text, HasSubstr("20 misses (100 %), longest run 20, 40 skips"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kColumns) << line;
}

TEST(VerdictText, SaysHowManyAreLeftOut) {
  Loop loop;
  for (int i = 0; i < 13; ++i) loop.timer("t" + std::to_string(i), 10ms);
  EXPECT_THAT(to_text(loop.monitor.verdicts()), HasSubstr("3 more are not shown"));
  EXPECT_EQ(to_text({}), "verdict: nothing was recorded\n");
}

TEST(VerdictText, DurationsInWords) {
  EXPECT_EQ(in_words(10ms), "10 ms");
  EXPECT_EQ(in_words(260us), "0.26 ms");
  EXPECT_EQ(in_words(40us), "40 us");
  EXPECT_EQ(in_words(999ns), "999 ns");
  EXPECT_EQ(in_words(1500ms), "1.5 s");
  EXPECT_EQ(in_words(0ns), "0 ms");
  EXPECT_EQ(in_words(22104us, 3), "22.1 ms");
}

TEST(VerdictText, ParagraphsBreakBetweenWords) {
  const auto text = paragraph("label ", std::string(60, 'a') + " " + std::string(60, 'b'));
  EXPECT_EQ(text, "label " + std::string(60, 'a') + "\n      " + std::string(60, 'b') + "\n");
}

}  // namespace
}  // namespace takt::timing

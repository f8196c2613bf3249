// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/comm/comm_test_support.hpp"
#include "lab/comm/compare.hpp"
#include "lab/comm/experiment.hpp"
#include "lab/comm/published.hpp"
#include "lab/comm/tables.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;
using example::plan_of_stage;
using example::results_of;
using example::run_of;

Json with_command(Json results) {
  results["command"] = {"takt"};
  return results;
}

TEST(CommReport, EveryPartIsThereAndPublishedFiguresHaveTheirMachine) {
  const auto page =
      report_html(with_command(results_of("6.1", 9, "behind")), plan_of_stage("fanout"), {}, "/nowhere");
  EXPECT_THAT(page, HasSubstr("behind in 1"));
  EXPECT_THAT(page, HasSubstr("What each layer adds"));
  EXPECT_THAT(page, HasSubstr("39.963"));
  for (const auto& table : published_tables()) EXPECT_THAT(table.note, HasSubstr("Machine:"));
}

TEST(CommReport, LayersAreDifferencesOfMeans) {
  auto cells = Cells{cell_json({}, run_of("futex-bells", {{8}}, 1, 1ms)),
                     cell_json({}, run_of("takt-shm", {{9}}, 1, 1ms)),
                     cell_json({}, run_of("takt", {{11.5F}}, 1, 1ms))};
  EXPECT_THAT(layers_table(cells).rows.at(0), ElementsAre("64 B", "1", "8.0", "+1.0", "+2.5", "11.5"));
}

TEST(CommCompare, ResultsStandSideBySideAndWhatDiffersIsNamed) {
  const auto document = compare({"a", "b"}, {results_of("6.1", 9, "ahead"), results_of("6.2", 10, "level")});
  EXPECT_EQ(document.at("differences"),
            Json::parse(R"([{"folder":"b","what":["machine.kernel is \"6.1\" there and \"6.2\" here"]}])"));
  ASSERT_EQ(document.at("cells").size(), 2U);
  EXPECT_EQ(document.at("cells")[0].at("mean_us"), Json::parse("[9.0, 10.0]"));
  EXPECT_EQ(document.at("cells")[1].at("standing"), Json::parse(R"(["ahead", "level"])"));
  EXPECT_EQ(document.at("standings"), Json::parse(R"({"compared": 1, "same": 0})"));
}

TEST(CommCompare, ACellThatOneRunLacksIsNull) {
  auto less = results_of("6.1", 9, "ahead");
  less["cells"].erase(1);
  const auto document = compare({"a", "b"}, {less, results_of("6.1", 9, "ahead")});
  EXPECT_EQ(document.at("cells")[1].at("mean_us"), Json::parse("[null, 8.0]"));
  EXPECT_EQ(document.at("standings").at("compared"), 0);
}

}  // namespace
}  // namespace takt::lab::comm

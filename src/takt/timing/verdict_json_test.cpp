// SPDX-License-Identifier: Apache-2.0
// What to_json writes is what docs/formats/verdict.schema.json says.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "takt/timing/testing/loop.hpp"

namespace takt::timing {
namespace {

using namespace std::chrono_literals;
using testing::Loop;

TEST(VerdictJson, AgreesWithItsSchema) {
  Loop loop;
  auto& missed = loop.timer("missed", 10ms, {.tolerance = {1, 4}, .warmup = 1});
  auto& met = loop.timer("met", 10ms, {.rule = MissRule::interval, .jitter = 1h});
  loop.timer("idle", 10ms);
  loop.section("free", kNoDeadline);
  ChainOptions chain;
  chain.name = "chain";
  chain.from = "met";
  chain.to = "missed";
  chain.deadline = 1ms;
  loop.monitor.add_chain(chain);
  for (int i = 0; i < 5; ++i) {
    loop.run(missed, 0ms, 12ms, {.skipped = 1});
    loop.run(met, 0ms, 1ms);
  }
  auto all = nlohmann::json::array();
  for (const auto& v : loop.monitor.verdicts()) all.push_back(to_json(v));
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0]["verdict"], "MISSED");
  EXPECT_EQ(all[0]["misses"], 4);
  EXPECT_EQ(all[0]["warmup"], 1);
  EXPECT_EQ(all[1]["verdict"], "MET");
  EXPECT_EQ(all[2]["verdict"], "NOT_JUDGED");
  EXPECT_TRUE(all[3]["deadline_ms"].is_null());
  const auto file = ::testing::TempDir() + "takt_verdicts.json";
  std::ofstream(file) << all;
  const std::string root = TAKT_SOURCE_DIR;
  const auto command = "/usr/bin/python3 -B " + root + "/tools/validate_json.py --each " + root +
                       "/docs/formats/verdict.schema.json " + file;
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
  std::remove(file.c_str());
}

}  // namespace
}  // namespace takt::timing

// SPDX-License-Identifier: Apache-2.0
// What ends a session and what does not, on a virtual clock.
#include "lab/deadlines/session.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <sstream>

#include "lab/common/fake_tree.hpp"
#include "lab/common/interrupt.hpp"
#include "takt/core/virtual_clock.hpp"

namespace takt::lab::deadlines {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

class DeadlinesSession : public testing::Test {
 protected:
  DeadlinesSession() {
    tree_.put("takt", "#!/bin/sh\nkill -KILL $$\n");
    fs::permissions(tree_.root() / "takt", fs::perms::owner_all);
    experiment_.setup.length = 1s;
    experiment_.setup.clock = std::make_shared<VirtualClock>(VirtualClock::Advance::automatic);
    experiment_.setup.clock_program = tree_.root() / "takt";
  }

  std::exception_ptr run(const std::vector<const char*>& names, std::size_t runs = 1) {
    Session session{.phases = {}, .limits = {}, .experiment = experiment_};
    for (const char* name : names) session.phases.push_back(*find_phase(name));
    Console console(true, out_, out_, false);
    return session.run(runs, OutputDir((tree_.root() / "out").string(), "deadlines"), console);
  }

  const FakeTree tree_;
  std::ostringstream out_;
  Experiment experiment_;
};

TEST_F(DeadlinesSession, EveryRunHasEveryPhaseAndItsFiles) {
  EXPECT_EQ(run({"wall_baseline", "wall_injected"}, 2), nullptr);
  ASSERT_EQ(experiment_.runs.size(), 2U);
  for (const auto& one : experiment_.runs) EXPECT_EQ(one.phases.size(), 2U);
  EXPECT_FALSE(experiment_.partial());
  EXPECT_TRUE(fs::exists(tree_.root() / "out/wall_injected-2.csv"));
  EXPECT_TRUE(fs::exists(tree_.root() / "out/results.json"));
  EXPECT_FALSE(experiment_.envelope.environment.kernel.empty());  // of the first results as well
}

TEST_F(DeadlinesSession, AClockThatDiesBeforeItIsHeardCostsItsPhaseOnly) {
  EXPECT_EQ(run({"wall_baseline", "sim_rtf1", "wall_injected"}), nullptr);
  const auto& phases = experiment_.runs.at(0).phases;
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_THAT(phases[1].result.not_measured, HasSubstr("signal 9 (Killed)"));
  EXPECT_FALSE(phases[1].result.interrupted);
  EXPECT_TRUE(phases[2].result.measured());
  EXPECT_TRUE(experiment_.partial());
}

TEST_F(DeadlinesSession, InTheVeryFirstPhaseItIsAnError) {
  EXPECT_THROW(run({"sim_rtf1", "wall_injected"}), ClockDied);
}

TEST_F(DeadlinesSession, AnotherFailureDropsTheRest) {
  experiment_.setup.clock_program = "/nonexistent/takt";
  const auto failure = run({"wall_baseline", "sim_rtf1", "wall_injected"}, 2);
  EXPECT_THROW(std::rethrow_exception(failure), CannotMeasure);
  ASSERT_EQ(experiment_.runs.size(), 1U);
  const auto& phases = experiment_.runs[0].phases;
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_THAT(phases[1].result.not_measured, HasSubstr("/nonexistent/takt is no program"));
  EXPECT_EQ(phases[2].result.not_measured, "the one before it failed");
  EXPECT_THAT(experiment_.envelope.warnings, Contains("1 of 2 runs were made"));
}

TEST_F(DeadlinesSession, OneThatIsEndedBeforeItBeginsHasARunOfNothing) {
  const Interrupt interrupt;
  Interrupt::request();
  EXPECT_EQ(run({"wall_baseline", "wall_injected"}, 5), nullptr);
  ASSERT_EQ(experiment_.runs.size(), 1U);
  for (const auto& phase : experiment_.runs[0].phases) EXPECT_FALSE(phase.result.measured());
  EXPECT_TRUE(experiment_.partial());
  EXPECT_EQ(experiment_.sentence(), "Nothing was measured.");
  EXPECT_THAT(experiment_.verdict(), HasSubstr("wall_baseline: not measured"));
  EXPECT_THAT(experiment_.envelope.warnings, Contains("1 of 5 runs were made"));
}

}  // namespace
}  // namespace takt::lab::deadlines

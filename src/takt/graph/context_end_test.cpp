// SPDX-License-Identifier: Apache-2.0
// How contexts end, and what is left of callbacks that came and went.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "takt/core/error.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/node.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Context::SharedPtr quiet_context(bool handle_signals = false) {
  InitOptions options;
  options.handle_signals = handle_signals;
  options.verdict = timing::VerdictFormat::off;
  return Context::make(std::move(options));
}

std::string what_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const SetupError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ContextEnd, AContextThatHadAnExecutorIsFreed) {
  std::weak_ptr<Context> weak;
  {
    const auto context = quiet_context();
    weak = context;
    Executor executor({.context = context});
    executor.add_node(std::make_shared<Node>("n", NodeOptions{context}));
    executor.spin_some();
  }
  EXPECT_TRUE(weak.expired());
}

TEST(ContextEnd, ContextsThatComeAndGoDoNotUseUpTheSignalTable) {
  for (int i = 0; i < 200; ++i) {
    const auto context = quiet_context(true);
    Executor executor({.context = context});
    executor.spin_some();
    context->shutdown();
  }
}

TEST(ContextEnd, ASignalIsHandledAgainByTheNextContext) {
  for (int i = 0; i < 3; ++i) {
    const auto context = quiet_context(true);
    Executor executor({.context = context});
    std::thread([] {
      std::this_thread::sleep_for(20ms);
      std::raise(SIGINT);
    }).detach();
    executor.spin();
    EXPECT_FALSE(context->ok());
  }
}

TEST(ContextEnd, ASignalIsHandledByAContextMadeBeforeTheInterruptedOneIsGone) {
  const auto first = quiet_context(true);
  std::raise(SIGTERM);
  EXPECT_FALSE(first->ok());
  const auto second = quiet_context(true);
  EXPECT_TRUE(second->ok());
  std::raise(SIGTERM);
  EXPECT_FALSE(second->ok());
}

TEST(ContextEnd, AfterShutdownSignalsHaveTheirFormerEffect) {
  static std::atomic<int> seen{0};
  struct sigaction mine {
  }, former{};
  mine.sa_handler = [](int) { ++seen; };
  ASSERT_EQ(sigaction(SIGTERM, &mine, &former), 0);
  const auto context = quiet_context(true);
  context->shutdown();
  std::raise(SIGTERM);
  EXPECT_EQ(seen, 1);
  sigaction(SIGTERM, &former, nullptr);
}

TEST(ContextEnd, AShutdownCallbackThatThrowsHarmsNoOther) {
  const auto context = quiet_context();
  bool called = false;
  context->on_shutdown([] { throw std::runtime_error("no"); });
  context->on_shutdown([&] { called = true; });
  context->shutdown();
  EXPECT_TRUE(called);
}

TEST(ContextEnd, NodesAndGroupsOfAnotherContextAreRefusedByName) {
  const auto mine = quiet_context();
  const auto other = quiet_context();
  Executor executor({.name = "control", .context = mine});
  const auto node = std::make_shared<Node>("stranger", NodeOptions{other});
  const auto group = node->create_callback_group(CallbackGroupType::Reentrant, false);
  EXPECT_THAT(what_of([&] { executor.add_node(node); }),
              HasSubstr("node stranger belongs to another context"));
  EXPECT_THAT(what_of([&] { executor.add_callback_group(group); }),
              HasSubstr("another context than executor control"));
}

TEST(ContextEnd, NullPointersAreRefused) {
  Executor executor({.context = quiet_context()});
  for (const auto& action : std::vector<std::function<void()>>{
           [&] { executor.add_node(nullptr); }, [&] { executor.add_node(nullptr, {}); },
           [&] { executor.remove_node(nullptr); }, [&] { executor.add_callback_group(nullptr); },
           [&] { executor.remove_callback_group(nullptr); }, [] { spin(nullptr); },
           [] { spin_some(nullptr); }}) {
    EXPECT_THAT(what_of(action), HasSubstr("null pointer"));
  }
}

TEST(ContextEnd, ACallbackIsNamedOnceWithItsNode) {
  const auto context = quiet_context();
  const auto node = std::make_shared<Node>("arm", NodeOptions{context});
  const auto timer = node->create_timer(1s, [] {});
  EXPECT_THAT(timer->section().full_name(), testing::MatchesRegex("arm/timer_[0-9]+"));
  EXPECT_THAT(what_of([&] { node->create_timer(1s, [] {}, {.name = "two\nlines"}); }),
              HasSubstr("control character"));
  EXPECT_THAT(what_of([&] { node->create_timer(1s, [] {}, {.name = std::string(300, 'x')}); }),
              HasSubstr("300 characters"));
  EXPECT_THAT(what_of([&] { node->create_timer(1s, std::function<void()>{}); }), HasSubstr("empty"));
}

TEST(ContextEnd, TheVerdictOfATimerThatIsGoneStaysAndOneThatNeverRanLeaves) {
  const auto context = quiet_context();
  const auto node = std::make_shared<Node>("arm", NodeOptions{context});
  Executor executor({.context = context});
  executor.add_node(node);
  auto ran = node->create_timer(1ms, [] {}, {.name = "ran"});
  const auto* section = &ran->section();
  executor.spin_once();
  ran.reset();
  node->create_timer(1s, [] {}, {.name = "never"});
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& verdict : context->verdicts()) all.push_back(verdict.name);
    return all;
  };
  for (int i = 0; i < 500 && names().size() != 1; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_THAT(names(), testing::ElementsAre("ran"));
  EXPECT_EQ(context->monitor().verdict(*section).activations, 1U);
}

// NOLINTBEGIN(concurrency-mt-unsafe): exit() from wherever is what is tested
class ExitDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void spin_until(const std::function<void()>& end) {
  init(0, nullptr);
  const auto node = std::make_shared<Node>("n");
  int ticks = 0;
  const auto timer = node->create_timer(1ms, [&] { ++ticks == 3 ? end() : void(); }, {.name = "tick"});
  spin(node);
}

TEST_F(ExitDeathTest, AProcessThatExitsFromACallbackPrintsItsVerdicts) {
  EXPECT_EXIT(spin_until([] { std::exit(3); }), testing::ExitedWithCode(3), "n/tick");
}

TEST_F(ExitDeathTest, AnExceptionThatNobodyCatchesPrintsTheVerdictsFirst) {
  EXPECT_EXIT({ std::thread([] { spin_until([] { throw std::runtime_error("broken"); }); }).join(); },
              testing::KilledBySignal(SIGABRT), "n/tick");
}

TEST_F(ExitDeathTest, AStaticExecutorThatStillSpinsDoesNotSpoilTheExitCode) {
  EXPECT_EXIT(
      {
        init(0, nullptr);
        static Executor executor;
        const auto node = std::make_shared<Node>("n");
        const auto timer = node->create_timer(1ms, [] { std::exit(5); });
        executor.add_node(node);
        executor.spin();
      },
      testing::ExitedWithCode(5), "");
}

TEST_F(ExitDeathTest, LeavingMainWithoutShutdownPrintsTheVerdicts) {
  EXPECT_EXIT(
      {
        init(0, nullptr);
        Executor executor;
        const auto node = std::make_shared<Node>("n");
        const auto timer = node->create_timer(1ms, [&] { executor.cancel(); }, {.name = "tick"});
        executor.add_node(node);
        executor.spin();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "n/tick");
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace
}  // namespace takt

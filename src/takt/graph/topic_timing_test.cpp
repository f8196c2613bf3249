// SPDX-License-Identifier: Apache-2.0
// What the timing of callbacks sees of messages: release, origin of chains, suppressed results.
#include <gtest/gtest.h>

#include <stdexcept>

#include "takt/graph/topic_test_support.hpp"

namespace takt {
namespace {

using std::chrono::milliseconds;
using testing::Sample;
using testing::TopicRun;

struct TopicTiming : ::testing::Test {
  TopicRun run;
  timing::Recorder recorder{run.context->monitor()};

  timing::Section& section(const std::string& name, const DeadlineOptions& deadline = {}) {
    timing::SectionOptions options;
    static_cast<DeadlineOptions&>(options) = deadline;
    options.name = name;
    options.node = "node";
    return run.context->monitor().add(std::move(options));
  }
};

TEST_F(TopicTiming, the_release_of_a_callback_is_the_publish_time) {
  const auto publisher = run.publisher();
  const auto subscription = run.subscription(10, [&](const Sample&) { run.clock->advance(milliseconds{2}); },
                                             {.deadline = milliseconds{6}});
  publisher->publish(Sample{});
  run.clock->advance(milliseconds{5});
  run.spin();
  const auto verdict = run.context->monitor().verdict(subscription->section());
  EXPECT_EQ(verdict.activations, 1U);
  EXPECT_EQ(verdict.lateness.max, milliseconds{5});
  EXPECT_EQ(verdict.execution.max, milliseconds{2});
  EXPECT_EQ(verdict.misses, 1U);
  EXPECT_EQ(verdict.kind, timing::SectionKind::subscription);
  EXPECT_EQ(verdict.name, "topic");
  EXPECT_EQ(verdict.node, "listener");
}

// rclcpp#1491: what is said of a message's way does not contain the callback's own time.
TEST_F(TopicTiming, lateness_does_not_contain_the_callback_s_own_time) {
  const auto publisher = run.publisher();
  const auto subscription =
      run.subscription(10, [&](const Sample&) { run.clock->advance(milliseconds{50}); });
  publisher->publish(Sample{});
  run.spin();
  const auto verdict = run.context->monitor().verdict(subscription->section());
  EXPECT_EQ(verdict.lateness.max, Duration::zero());
  EXPECT_EQ(verdict.execution.max, milliseconds{50});
}

TEST_F(TopicTiming, a_message_carries_the_origin_of_its_activation) {
  const auto publisher = run.publisher();
  std::vector<timing::Origin> got;
  std::vector<timing::Origin> inside;
  const auto subscription = run.subscription(10, [&](const Sample&, const MessageInfo& info) {
    got.push_back(info.origin);
    inside.push_back(timing::current_activation()->origin);
  });
  auto& source = section("source");
  {
    auto activation = recorder.begin(source);
    run.clock->advance(milliseconds{1});
    publisher->publish(Sample{});
    publisher->publish(Sample{}, timing::Origin{});  // lost on purpose
    publisher->publish(std::make_unique<Sample>(),
                       timing::Origin{run.start - milliseconds{9}, source.origin_id()});
    recorder.end(activation);
  }
  publisher->publish(Sample{});
  run.spin();
  ASSERT_EQ(got.size(), 4U);
  EXPECT_EQ(got[0].at, run.start);
  EXPECT_EQ(got[0].section, source.origin_id());
  EXPECT_FALSE(got[1].known());
  EXPECT_EQ(got[2].at, run.start - milliseconds{9});
  EXPECT_FALSE(got[3].known());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(inside[i].section, got[i].section);
    if (got[i].known()) {
      EXPECT_EQ(inside[i].at, got[i].at);
    }
  }
}

TEST_F(TopicTiming, an_activation_that_takes_has_the_oldest_origin) {
  const auto publisher = run.publisher();
  const auto polled = run.subscription(10, nullptr);
  auto& camera = section("camera");
  auto& fusion = section("fusion");
  {
    auto activation = recorder.begin(camera);
    publisher->publish(Sample{4});
    recorder.end(activation);
  }
  publisher->publish(Sample{5});
  run.clock->advance(milliseconds{1});
  auto activation = recorder.begin(fusion);
  Sample sample;
  MessageInfo info;
  ASSERT_TRUE(polled->take(sample, info));
  EXPECT_EQ(sample.value, 4);
  EXPECT_EQ(activation.origin.section, camera.origin_id());
  EXPECT_EQ(activation.origin.at, run.start);
  ASSERT_TRUE(polled->take(sample, info));
  EXPECT_EQ(sample.value, 5);
  EXPECT_FALSE(activation.origin.known()) << "one input's origin is unknown: the chain is lost";
  EXPECT_FALSE(polled->take(sample, info));
  recorder.end(activation);
}

TEST_F(TopicTiming, a_late_result_of_a_firm_callback_is_not_sent) {
  const auto publisher = run.publisher();
  const auto subscription = run.subscription(10, [](const Sample&) {});
  auto& firm = section("firm", Deadline(milliseconds{10}).firm());
  const auto activate = [&](Duration lateness, Duration work) {
    const auto release = ClockTime{(run.clock->steady_now() - lateness).time_since_epoch()};
    auto activation = recorder.begin(firm, {.release = release});
    run.clock->advance(work);
    const auto result = publisher->publish(Sample{});
    EXPECT_EQ((activation.flags & timing::kSuppressed) != 0, result.suppressed);
    recorder.end(activation);
    return result;
  };
  EXPECT_EQ(activate(milliseconds{4}, milliseconds{6}).delivered, 1U) << "at the deadline is not after it";
  const auto late = activate(milliseconds{4}, milliseconds{7});
  EXPECT_TRUE(late.suppressed);
  EXPECT_EQ(late.delivered, 0U);
  EXPECT_EQ(publisher->counters().suppressed, 1U);
  EXPECT_EQ(publisher->counters().published, 1U);
  EXPECT_EQ(run.context->monitor().verdict(firm).suppressed, 1U);
  EXPECT_EQ(subscription->counters().received, 1U);
}

TEST_F(TopicTiming, an_exception_leaves_the_callback_after_its_end_is_recorded) {
  const auto publisher = run.publisher();
  const auto subscription = run.subscription(10, [](const Sample&) { throw std::domain_error("no"); });
  publisher->publish(Sample{});
  EXPECT_THROW(run.spin(), std::domain_error);
  EXPECT_EQ(subscription->section().activations(), 1U);
  EXPECT_EQ(timing::current_activation(), nullptr);
}

TEST_F(TopicTiming, the_message_is_destroyed_after_the_activation) {
  struct Watched {
    ~Watched() {
      if (in_use) destroyed_inside = timing::current_activation() != nullptr;
    }
    bool in_use = false;
    bool& destroyed_inside = flag();
    static bool& flag() {
      static bool inside = true;
      return inside;
    }
    Watched() = default;
    Watched(const Watched&) = default;
    Watched& operator=(const Watched& other) {
      in_use = other.in_use;
      return *this;
    }
  };
  const auto publisher = run.publisher<Watched>();
  const auto subscription = run.subscription<Watched>(10, [](const Watched&) {});
  auto message = std::make_unique<Watched>();
  message->in_use = true;
  publisher->publish(std::move(message));
  run.spin();
  EXPECT_FALSE(Watched::flag());
}

}  // namespace
}  // namespace takt

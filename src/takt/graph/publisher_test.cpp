// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/publisher.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "takt/graph/topic_test_support.hpp"

namespace takt {
namespace {

using testing::Sample;
using testing::TopicRun;

TEST(Publisher, a_unique_pointer_is_moved_to_its_only_taker) {
  TopicRun run;
  const auto publisher = run.publisher();
  std::unique_ptr<Sample> got;
  const auto subscription = run.subscription(10, [&](std::unique_ptr<Sample> m) { got = std::move(m); });
  auto message = std::make_unique<Sample>(Sample{5});
  const auto* address = message.get();
  const auto result = publisher->publish(std::move(message));
  EXPECT_EQ(result.delivered, 1U);
  run.spin();
  EXPECT_EQ(got.get(), address);
  EXPECT_EQ(publisher->counters().copies, 0U);
}

TEST(Publisher, several_readers_share_the_original_uncopied) {
  TopicRun run;
  const auto publisher = run.publisher();
  std::vector<const Sample*> seen;
  std::shared_ptr<const Sample> kept;
  const auto a = run.subscription(10, [&](const Sample& m) { seen.push_back(&m); });
  const auto b = run.subscription(10, [&](const Sample& m) { seen.push_back(&m); });
  const auto c = run.subscription(10, [&](std::shared_ptr<const Sample> m) { kept = std::move(m); });
  auto message = std::make_unique<Sample>(Sample{5});
  const auto* address = message.get();
  publisher->publish(std::move(message));
  run.spin();
  EXPECT_EQ(seen, (std::vector{address, address}));
  EXPECT_EQ(kept.get(), address);
  EXPECT_EQ(publisher->counters().copies, 0U);
}

/// How many copies `readers` takers of const T& and `owners` of unique_ptr cost, by each way of publishing.
struct Copies {
  std::uint64_t unique, reference, loan;
  bool operator==(const Copies&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Copies& c) {
  return out << c.unique << ", " << c.reference << ", " << c.loan;
}
Copies copies(int readers, int owners) {
  const auto count = [&](auto publish) {
    TopicRun run;
    const auto publisher = run.publisher();
    std::vector<Subscription<Sample>::SharedPtr> all;
    int got = 0;
    for (int i = 0; i < readers; ++i) {
      all.push_back(run.subscription(10, [&](const Sample& m) { got += m.value; }));
    }
    for (int i = 0; i < owners; ++i) {
      all.push_back(run.subscription(10, [&](std::unique_ptr<Sample> m) { got += m->value; }));
    }
    EXPECT_EQ(publish(*publisher).delivered, static_cast<std::uint32_t>(readers + owners));
    run.spin();
    EXPECT_EQ(got, readers + owners);
    return publisher->counters().copies;
  };
  return {count([](auto& p) { return p.publish(std::make_unique<Sample>(Sample{1})); }),
          count([](auto& p) { return p.publish(Sample{1}); }), count([](auto& p) {
            auto loan = p.borrow();
            loan->value = 1;
            return p.publish(std::move(loan));
          })};
}

TEST(Publisher, counts_every_copy) {
  EXPECT_EQ(copies(0, 0), (Copies{0, 0, 0}));
  EXPECT_EQ(copies(1, 0), (Copies{0, 1, 0}));
  EXPECT_EQ(copies(3, 0), (Copies{0, 1, 0}));
  EXPECT_EQ(copies(0, 1), (Copies{0, 1, 1}));  // a loan cannot become a unique_ptr
  EXPECT_EQ(copies(0, 2), (Copies{1, 2, 2}));
  EXPECT_EQ(copies(1, 1), (Copies{1, 2, 1}));
  EXPECT_EQ(copies(2, 3), (Copies{3, 4, 3}));
}

TEST(Publisher, a_copy_for_readers_is_made_in_the_pool_while_it_lasts) {
  TopicRun run;
  const auto publisher = run.publisher(10, {.loans = 1});
  std::vector<int> got;
  const auto subscription = run.subscription(10, [&](const Sample& m) { got.push_back(m.value); });
  publisher->publish(Sample{1});
  EXPECT_FALSE(publisher->borrow()) << "the copy has it";
  publisher->publish(Sample{2});
  run.spin();
  EXPECT_EQ(got, (std::vector{1, 2}));
  EXPECT_TRUE(publisher->borrow());
  EXPECT_EQ(publisher->counters().loans_exhausted, 1U);
}

TEST(Publisher, an_empty_loan_sends_nothing) {
  TopicRun run;
  const auto publisher = run.publisher();
  const auto subscription = run.subscription(10, [](const Sample&) {});
  EXPECT_EQ(publisher->publish(Loan<Sample>()).delivered, 0U);
  EXPECT_EQ(publisher->counters().published, 0U);
}

TEST(Publisher, stamps_and_numbers_each_message) {
  TopicRun run;
  const auto one = run.publisher();
  const auto two = run.publisher();
  std::vector<MessageInfo> got;
  const auto subscription =
      run.subscription(10, [&](const Sample&, const MessageInfo& info) { got.push_back(info); });
  one->publish(Sample{});
  run.clock->advance(std::chrono::milliseconds{3});
  one->publish(Sample{});
  two->publish(Sample{});
  run.spin();
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[0].published, run.start);
  EXPECT_EQ(got[1].published - got[0].published, std::chrono::milliseconds{3});
  EXPECT_EQ(got[1].received, got[1].published);
  EXPECT_EQ(got[0].sequence, 1U);
  EXPECT_EQ(got[1].sequence, 2U);
  EXPECT_EQ(got[2].sequence, 1U);
  EXPECT_EQ(got[0].publisher, one->id());
  EXPECT_EQ(got[2].publisher, two->id());
  EXPECT_FALSE(got[0].origin.known()) << "published outside any callback";
}

TEST(Publisher, every_lost_message_is_counted_at_both_ends) {
  TopicRun run;
  const auto publisher = run.publisher();
  const auto last = run.subscription(2, [](const Sample&) {});
  const auto all = run.subscription(KeepAll{3}, [](const Sample&) {});
  PublishResult result;
  for (int i = 0; i < 5; ++i) result = publisher->publish(Sample{i});
  EXPECT_EQ(result.delivered, 1U);
  EXPECT_EQ(result.overwritten, 1U);
  EXPECT_EQ(result.refused, 1U);
  run.spin();
  EXPECT_EQ(last->counters().received, 5U);
  EXPECT_EQ(last->counters().overwritten, 3U);
  EXPECT_EQ(last->counters().taken, 2U);
  EXPECT_EQ(all->counters().received, 3U);
  EXPECT_EQ(all->counters().refused, 2U);
  EXPECT_EQ(all->counters().taken, 3U);
  const auto sent = publisher->counters();
  EXPECT_EQ(sent.published, 5U);
  EXPECT_EQ(sent.delivered, 8U);
  EXPECT_EQ(sent.overwritten, 3U);
  EXPECT_EQ(sent.refused, 2U);
}

TEST(Publisher, without_subscriptions_a_message_is_counted_and_dropped) {
  TopicRun run;
  const auto publisher = run.publisher();
  EXPECT_EQ(publisher->publish(std::make_unique<Sample>()).delivered, 0U);
  EXPECT_EQ(publisher->counters().published, 1U);
  EXPECT_EQ(publisher->get_subscription_count(), 0U);
}

TEST(Publisher, a_loan_that_a_taker_keeps_outlives_the_publisher) {
  TopicRun run;
  auto publisher = run.publisher();
  std::shared_ptr<const Sample> kept;
  auto subscription = run.subscription(10, [&](std::shared_ptr<const Sample> m) { kept = std::move(m); });
  auto loan = publisher->borrow();
  loan->value = 9;
  publisher->publish(std::move(loan));
  run.spin();
  publisher.reset();
  subscription.reset();
  run.context->house().run_now();
  EXPECT_EQ(kept->value, 9);
}

TEST(PublisherDeathTest, a_null_message_is_a_bug) {
  TopicRun run;
  const auto publisher = run.publisher();
  EXPECT_DEATH(publisher->publish(std::unique_ptr<Sample>()), "message != nullptr");
}

}  // namespace
}  // namespace takt

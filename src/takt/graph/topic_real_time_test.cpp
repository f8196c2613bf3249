// SPDX-License-Identifier: Apache-2.0
// The real-time path allocates nothing: aborts here on any use of the heap inside the guard.
#include <gtest/gtest.h>

#include <vector>

#include "takt/core/testing/no_allocation.hpp"
#include "takt/graph/topic_test_support.hpp"

namespace takt {
namespace {

using testing::NoAllocation;
using testing::Sample;
using testing::TopicRun;

struct Cloud {
  std::vector<double> points;
};

/// A subscription that is run by hand, as an executor's worker does.
template <class T>
struct ByHand {
  template <class Callback>
  ByHand(TopicRun& r, const QoS& qos, Callback callback) : run(r) {
    timing::SectionOptions options;
    options.name = "by hand";
    executable = std::make_shared<SubscriptionExecutable<T>>(
        run.context->monitor(), run.context->monitor().add(options), "listener", "/topic", qos,
        SubscriptionCallback<T>(std::move(callback)));
    run.context->topics().add(executable);
  }
  ~ByHand() { run.context->topics().remove(executable); }
  bool take_one() {
    RunContext worker{recorder, run.clock->steady_now(), false};
    return executable->run(worker).has_value();
  }

  TopicRun& run;
  timing::Recorder recorder{run.context->monitor()};
  std::shared_ptr<SubscriptionExecutable<T>> executable;
};

TEST(TopicRealTime, a_loan_is_borrowed_published_and_taken) {
  TopicRun run;
  const auto publisher = run.publisher<Cloud>();
  std::size_t got = 0;
  ByHand<Cloud> taker(run, 3, [&](const Cloud& m) { got += m.points.size(); });
  for (int round = 0; round < 3; ++round) {
    if (round == 0) {  // the first use of each message grows it
      std::vector<Loan<Cloud>> all;
      while (auto loan = publisher->borrow()) {
        loan->points.reserve(100);
        all.push_back(std::move(loan));
      }
    }
    const NoAllocation guard;
    for (int i = 0; i < 5; ++i) {  // two are pushed out
      auto loan = publisher->borrow();
      loan->points.assign(100, 1.0);
      publisher->publish(std::move(loan));
    }
    while (taker.take_one()) {
    }
  }
  EXPECT_EQ(got, 900U);
}

TEST(TopicRealTime, a_unique_pointer_is_published_and_taken_by_one) {
  TopicRun run;
  const auto publisher = run.publisher();
  std::unique_ptr<Sample> got;
  ByHand<Sample> taker(run, 10, [&](std::unique_ptr<Sample> m) { got = std::move(m); });
  auto message = std::make_unique<Sample>(Sample{3});
  {
    const NoAllocation guard;
    publisher->publish(std::move(message));
    taker.take_one();
  }
  EXPECT_EQ(got->value, 3);
}

TEST(TopicRealTime, a_loan_is_shared_by_several_and_retained) {
  TopicRun run;
  const auto publisher = run.publisher(QoS(2).transient_local(), {.loans = 8});
  int got = 0;
  std::shared_ptr<const Sample> kept;
  ByHand<Sample> a(run, 2, [&](const Sample& m) { got += m.value; });
  ByHand<Sample> b(run, 2, [&](std::shared_ptr<const Sample> m) { kept = std::move(m); });
  {
    const NoAllocation guard;
    for (int i = 0; i < 20; ++i) {
      auto loan = publisher->borrow();
      loan->value = 1;
      publisher->publish(std::move(loan));
      a.take_one();
      b.take_one();
    }
    kept.reset();
  }
  EXPECT_EQ(got, 20);
  EXPECT_EQ(publisher->counters().loans_exhausted, 0U);
}

TEST(TopicRealTime, a_reference_is_copied_into_the_pool) {
  TopicRun run;
  const auto publisher = run.publisher<Cloud>(2, {.loans = 2});
  std::size_t got = 0;
  ByHand<Cloud> taker(run, 2, [&](const Cloud& m) { got += m.points.size(); });
  const Cloud cloud{std::vector<double>(50)};
  publisher->publish(cloud);
  publisher->publish(cloud);  // now both have the capacity
  while (taker.take_one()) {
  }
  {
    const NoAllocation guard;
    publisher->publish(cloud);
    taker.take_one();
  }
  EXPECT_EQ(got, 150U);
}

TEST(TopicRealTime, take_swaps) {
  TopicRun run;
  const auto publisher = run.publisher<Cloud>();
  const auto polled = run.subscription<Cloud>(10, nullptr);
  Cloud mine;
  MessageInfo info;
  auto loan = publisher->borrow();
  loan->points.assign(100, 2.0);
  {
    const NoAllocation guard;
    publisher->publish(std::move(loan));
    polled->take(mine, info);
  }
  EXPECT_EQ(mine.points.size(), 100U);
}

}  // namespace
}  // namespace takt

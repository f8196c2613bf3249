// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/subscription_callback.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace takt {
namespace {

// NOLINTBEGIN(performance-unnecessary-value-param): what a callback may take is what is tested

using std::placeholders::_1;
using std::placeholders::_2;

struct Reading {
  int value = 0;
};

/// What the callback of any kind leaves behind.
int last_value = 0;
std::uint64_t last_sequence = 0;

template <class Callable>
Wants run(Callable callable) {
  SubscriptionCallback<Reading> callback(std::move(callable));
  Parcel<Reading> parcel(std::make_unique<Reading>(Reading{42}));
  parcel.info.sequence = 7;
  last_value = 0;
  last_sequence = 0;
  callback(parcel);
  EXPECT_EQ(last_value, 42);
  return callback.wants();
}

void by_function(const Reading& m) { last_value = m.value; }
void by_function_with_info(std::shared_ptr<const Reading> m, const MessageInfo& info) {
  last_value = m->value;
  last_sequence = info.sequence;
}

struct Listener {
  void reference(const Reading& m) { last_value = m.value; }
  void shared(std::shared_ptr<const Reading> m) { last_value = m->value; }
  void const_shared(const std::shared_ptr<const Reading>& m) { last_value = m->value; }
  void unique(std::unique_ptr<Reading> m) { last_value = m->value; }
  void legacy(const std::shared_ptr<Reading> m) { last_value = m->value; }  // NOLINT: as programs write it
  void unique_with_info(std::unique_ptr<Reading> m, const MessageInfo& info) {
    last_value = m->value;
    last_sequence = info.sequence;
  }
};

TEST(SubscriptionCallback, lambdas) {
  EXPECT_EQ(run([](const Reading& m) { last_value = m.value; }), Wants::shared);
  EXPECT_EQ(run([](std::shared_ptr<const Reading> m) { last_value = m->value; }), Wants::shared);
  EXPECT_EQ(run([](const std::shared_ptr<const Reading>& m) { last_value = m->value; }), Wants::shared);
  EXPECT_EQ(run([](std::unique_ptr<Reading> m) { last_value = m->value; }), Wants::owned);
  EXPECT_EQ(run([](std::shared_ptr<Reading> m) { last_value = m->value; }), Wants::owned);
  EXPECT_EQ(run([](const std::shared_ptr<Reading>& m) { last_value = m->value; }), Wants::owned);
}

TEST(SubscriptionCallback, lambdas_with_info) {
  const auto note = [](const MessageInfo& info) { last_sequence = info.sequence; };
  run([note](const Reading& m, const MessageInfo& i) { last_value = m.value, note(i); });
  EXPECT_EQ(last_sequence, 7U);
  run([note](std::shared_ptr<const Reading> m, const MessageInfo& i) { last_value = m->value, note(i); });
  EXPECT_EQ(last_sequence, 7U);
  EXPECT_EQ(run([note](std::unique_ptr<Reading> m, MessageInfo i) { last_value = m->value, note(i); }),
            Wants::owned);
  EXPECT_EQ(last_sequence, 7U);
  EXPECT_EQ(run([note](std::shared_ptr<Reading> m, const MessageInfo& i) { last_value = m->value, note(i); }),
            Wants::owned);
  EXPECT_EQ(last_sequence, 7U);
}

TEST(SubscriptionCallback, function_pointers_and_std_function) {
  EXPECT_EQ(run(&by_function), Wants::shared);
  EXPECT_EQ(run(&by_function_with_info), Wants::shared);
  EXPECT_EQ(last_sequence, 7U);
  EXPECT_EQ(run(std::function<void(std::unique_ptr<Reading>)>([](auto m) { last_value = m->value; })),
            Wants::owned);
  EXPECT_EQ(run(std::function<void(const Reading&)>(by_function)), Wants::shared);
}

TEST(SubscriptionCallback, std_bind_of_members) {
  Listener listener;
  EXPECT_EQ(run(std::bind(&Listener::reference, &listener, _1)), Wants::shared);
  EXPECT_EQ(run(std::bind(&Listener::shared, &listener, _1)), Wants::shared);
  EXPECT_EQ(run(std::bind(&Listener::const_shared, &listener, _1)), Wants::shared);
  EXPECT_EQ(run(std::bind(&Listener::unique, &listener, _1)), Wants::owned);
  EXPECT_EQ(run(std::bind(&Listener::legacy, &listener, _1)), Wants::owned);
  EXPECT_EQ(run(std::bind(&Listener::unique_with_info, &listener, _1, _2)), Wants::owned);
  EXPECT_EQ(last_sequence, 7U);
}

TEST(SubscriptionCallback, takes_callables_that_only_move) {
  auto state = std::make_unique<int>(1);
  EXPECT_EQ(run([state = std::move(state)](const Reading& m) { last_value = m.value * *state; }),
            Wants::shared);
}

TEST(SubscriptionCallback, refuses_an_empty_one) {
  EXPECT_THROW(SubscriptionCallback<Reading>(std::function<void(const Reading&)>()), SetupError);
  void (*none)(const Reading&) = nullptr;
  EXPECT_THROW(SubscriptionCallback<Reading>{none}, SetupError);
}

// NOLINTEND(performance-unnecessary-value-param)

}  // namespace
}  // namespace takt

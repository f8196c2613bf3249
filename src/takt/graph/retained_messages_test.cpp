// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/retained_messages.hpp"

#include <gtest/gtest.h>

#include "takt/graph/message_queue.hpp"

namespace takt {
namespace {

RetainedMessage<int> message(std::uint64_t sequence) {
  RetainedMessage<int> out{std::make_shared<const int>(static_cast<int>(sequence)), {}, 0};
  out.info.sequence = sequence;
  return out;
}

std::vector<int> values(RetainedMessages<int>& retained) {
  std::vector<int> out;
  for (const auto& one : retained.copy_before(1)) out.push_back(*one.message);
  return out;
}

TEST(RetainedMessages, are_the_last_few_oldest_first) {
  RetainedMessages<int> retained(3);
  EXPECT_EQ(values(retained), std::vector<int>{});
  for (std::uint64_t s = 1; s <= 5; ++s) retained.keep(message(s));
  EXPECT_EQ(values(retained), (std::vector{3, 4, 5}));
}

TEST(RetainedMessages, one_that_comes_too_late_is_not_kept) {
  RetainedMessages<int> retained(2);
  retained.keep(message(1));
  retained.keep(message(4));
  retained.keep(message(5));
  retained.keep(message(3));  // its thread was held up
  EXPECT_EQ(values(retained), (std::vector{4, 5}));
}

TEST(RetainedMessages, what_is_older_than_the_last_few_is_not_handed_out_though_it_is_there) {
  RetainedMessages<int> retained(4);
  for (const std::uint64_t s : {2U, 4U, 7U}) retained.keep(message(s));  // the threads of 5 and 6 are held up
  EXPECT_EQ(values(retained), (std::vector{4, 7}));
}

TEST(RetainedMessages, what_was_sent_to_the_newer_list_is_not_handed_out_but_makes_others_older) {
  RetainedMessages<int> retained(3);
  retained.keep(message(3));
  retained.keep(message(5));
  auto direct = message(7);
  direct.matches = 1;
  retained.keep(std::move(direct));
  EXPECT_EQ(values(retained), (std::vector{5}));
}

TEST(RetainedMessages, let_go_of_the_oldest) {
  RetainedMessages<int> retained(1);
  auto first = message(1);
  const std::weak_ptr<const int> watched = first.message;
  retained.keep(std::move(first));
  EXPECT_FALSE(watched.expired());
  retained.keep(message(2));
  EXPECT_TRUE(watched.expired());
}

Parcel<int> parcel(int value) { return Parcel<int>(std::make_unique<int>(value)); }

TEST(MessageQueue, keep_last_pushes_out_retained_ones_first) {
  MessageQueue<int> queue(QoS(3).transient_local());
  queue.push(parcel(4));
  std::vector<Parcel<int>> retained;
  for (int v = 1; v <= 3; ++v) retained.push_back(parcel(v));
  EXPECT_EQ(queue.put_retained(std::move(retained)), 2U) << "the newest that fit beside the one that waits";
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.push(parcel(5)), PushResult::dropped_oldest);
  std::vector<int> out;
  while (const auto one = queue.pop()) out.push_back(one->view());
  EXPECT_EQ(out, (std::vector{3, 4, 5}));
  EXPECT_TRUE(queue.empty());
}

TEST(MessageQueue, keep_all_refuses) {
  MessageQueue<int> queue(KeepAll{2});
  EXPECT_EQ(queue.push(parcel(1)), PushResult::ok);
  EXPECT_EQ(queue.push(parcel(2)), PushResult::ok);
  EXPECT_EQ(queue.push(parcel(3)), PushResult::refused);
  EXPECT_EQ(queue.pop()->view(), 1);
}

}  // namespace
}  // namespace takt

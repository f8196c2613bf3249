// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/loan.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "takt/core/house.hpp"
#include "takt/core/testing/no_allocation.hpp"
#include "takt/graph/parcel.hpp"

namespace takt {
namespace {

struct Cloud {
  Cloud() { ++alive; }
  Cloud(const Cloud& other) : points(other.points) { ++alive; }
  Cloud& operator=(const Cloud&) = default;
  ~Cloud() { --alive; }
  std::vector<double> points;
  static inline std::atomic<int> alive{0};
};

using Pool = MessagePool<Cloud>;

TEST(Loan, comes_from_the_pool_and_goes_back) {
  const auto pool = Pool::make(2);
  auto a = Loan<Cloud>::from(*pool);
  {
    const auto b = Loan<Cloud>::from(*pool);
    EXPECT_TRUE(a && b);
    EXPECT_FALSE(Loan<Cloud>::from(*pool)) << "exhausted";
    EXPECT_EQ(pool->lent(), 2U);
  }
  EXPECT_EQ(pool->lent(), 1U);
  auto moved = std::move(a);
  EXPECT_EQ(pool->lent(), 1U);
  moved.reset();
  EXPECT_EQ(pool->lent(), 0U);
}

TEST(Loan, keeps_the_capacity_of_its_fields) {
  const auto pool = Pool::make(1);
  {
    auto loan = Loan<Cloud>::from(*pool);
    loan->points.assign(100, 1.0);
  }
  const auto again = Loan<Cloud>::from(*pool);
  EXPECT_GE(again->points.capacity(), 100U);
}

TEST(Loan, is_shared_without_allocating) {
  const auto pool = Pool::make(1);
  {
    const testing::NoAllocation guard;
    auto loan = Loan<Cloud>::from(*pool);
    std::shared_ptr<const Cloud> one = std::move(loan).share();
    std::shared_ptr<const Cloud> two = one;  // NOLINT(performance-unnecessary-copy-initialization): counted
    one.reset();
    if (pool->lent() != 1) std::abort();
  }
  EXPECT_EQ(pool->lent(), 0U);
}

TEST(Loan, a_weak_pointer_keeps_it_out) {
  const auto pool = Pool::make(1);
  auto shared = Loan<Cloud>::from(*pool).share();
  std::weak_ptr<const Cloud> weak = shared;
  shared.reset();
  EXPECT_TRUE(weak.expired());
  EXPECT_EQ(pool->lent(), 1U) << "its control block is still in use";
  weak.reset();
  EXPECT_EQ(pool->lent(), 0U);
}

TEST(Loan, outlives_the_pool_s_owner_and_the_house_frees_the_pool) {
  House::of_process().run_now();
  const int before = Cloud::alive;
  auto pool = Pool::make(3);
  auto loan = Loan<Cloud>::from(*pool);
  auto shared = Loan<Cloud>::from(*pool).share();
  pool.reset();
  House::of_process().run_now();
  loan->points = {1.0};
  EXPECT_EQ(Cloud::alive.load(), before + 3);
  {
    const testing::NoAllocation guard;  // a real-time thread may be the last
    loan.reset();
    shared.reset();
  }
  House::of_process().run_now();
  EXPECT_EQ(Cloud::alive.load(), before);
}

TEST(LoanDeathTest, an_empty_one_has_no_message) { EXPECT_DEATH(*Loan<Cloud>(), "pool_"); }

TEST(Parcel, hands_out_what_it_holds_in_every_form) {
  const auto pool = Pool::make(4);
  const auto filled = [&] {
    auto loan = Loan<Cloud>::from(*pool);
    loan->points = {1.0, 2.0};
    return loan;
  };
  EXPECT_EQ(Parcel<Cloud>(filled()).view().points.size(), 2U);
  EXPECT_EQ(Parcel<Cloud>(filled()).into_shared()->points.size(), 2U);
  EXPECT_EQ(pool->copies(), 0U);
  EXPECT_EQ(Parcel<Cloud>(filled()).into_unique()->points.size(), 2U);
  EXPECT_EQ(pool->copies(), 1U) << "a loan has to be copied for a taker of unique_ptr";

  auto heap = std::make_unique<Cloud>(*filled());
  const auto* address = heap.get();
  EXPECT_EQ(Parcel<Cloud>(std::move(heap)).into_unique().get(), address) << "moved";

  const auto shared = std::make_shared<const Cloud>(*filled());
  EXPECT_EQ(Parcel<Cloud>(shared).into_shared(), shared);
  EXPECT_NE(Parcel<Cloud>(shared).into_unique().get(), shared.get());
}

TEST(Parcel, is_taken_by_swapping_what_it_owns) {
  const auto pool = MessagePool<std::vector<double>>::make(1);
  std::vector<double> mine;
  mine.reserve(500);
  auto loan = Loan<std::vector<double>>::from(*pool);
  *loan = {3.0};
  Parcel<std::vector<double>>(std::move(loan)).into(mine);
  EXPECT_EQ(mine, std::vector<double>{3.0});
  EXPECT_GE(Loan<std::vector<double>>::from(*pool)->capacity(), 500U) << "the pool has mine now";
}

}  // namespace
}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#include "takt/core/testing/no_allocation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace takt::testing {
namespace {

volatile std::size_t size = 100;  // so that no compiler leaves an allocation out

void use_new() {
  const NoAllocation guard;
  ::operator delete(::operator new(size));
}

TEST(NoAllocationDeathTest, AbortsOnNew) {
  EXPECT_DEATH(use_new(), "heap use where none was promised.*100 bytes");
}

TEST(NoAllocationDeathTest, AbortsOnDelete) {
  EXPECT_DEATH(
      {
        auto text = std::make_unique<std::string>(size, 'x');
        const NoAllocation guard;
        text.reset();
      },
      "heap use where none was promised");
}

TEST(NoAllocationDeathTest, AbortsOnAlignedNew) {
  EXPECT_DEATH(
      {
        const NoAllocation guard;
        ::operator delete (::operator new (size, std::align_val_t{64}), std::align_val_t{64});
      },
      "heap use where none was promised");
}

#if !defined(TAKT_ASAN) && !defined(TAKT_TSAN)
void* volatile nothing = nullptr;

// A compiler may leave out a pair of allocation and release whose memory nobody sees.
void release(void* memory) {
  void* volatile seen = memory;
  std::free(seen);
}

TEST(NoAllocationDeathTest, AbortsOnMallocAndItsFamily) {
  const auto within = [](auto use) {
    const NoAllocation guard;
    use();
  };
  EXPECT_DEATH(within([] { release(std::malloc(size)); }), "malloc, 100 bytes");
  EXPECT_DEATH(within([] { release(std::calloc(size, 2)); }), "calloc, 200 bytes");
  EXPECT_DEATH(within([] { release(std::realloc(nothing, size)); }), "realloc, 100 bytes");
  EXPECT_DEATH(within([] { release(std::aligned_alloc(64, 64 * size)); }), "aligned_alloc, 6400 bytes");
}
#endif

TEST(NoAllocation, AllowsWhatUsesNoHeap) {
  std::vector<int> numbers(size);
  const NoAllocation guard;
  for (auto& n : numbers) n = 1;
}

TEST(NoAllocation, EndsWithItsScope) {
  { const NoAllocation guard; }
  EXPECT_EQ(std::string(size, 'x').size(), 100U);
}

TEST(NoAllocation, CanBeLiftedForAWhile) {
  const NoAllocation guard;
  {
    const AllowAllocation allow;
    EXPECT_EQ(std::string(size, 'x').size(), 100U);
  }
}

TEST(NoAllocation, ConcernsOnlyItsOwnThread) {
  std::thread other;
  {
    const NoAllocation guard;
    const AllowAllocation allow;
    other = std::thread([] { EXPECT_EQ(std::string(size, 'x').size(), 100U); });
  }
  other.join();
}

}  // namespace
}  // namespace takt::testing

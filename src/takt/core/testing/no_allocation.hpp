// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Support for tests: target takt_no_allocation replaces malloc and its family (under a sanitizer: operator
/// new and delete only) with versions that call the C library's unless the calling thread has promised not to
/// use the heap.
namespace takt::testing {

/// While one of these lives, heap use (allocating or freeing) by this thread prints what it was and aborts.
class NoAllocation {
 public:
  NoAllocation() noexcept;
  ~NoAllocation();
  NoAllocation(const NoAllocation&) = delete;
  NoAllocation& operator=(const NoAllocation&) = delete;
};

/// Lifts the promise meanwhile, for the test's own needs (an assertion, a vector of results).
class AllowAllocation {
 public:
  AllowAllocation() noexcept;
  ~AllowAllocation();
  AllowAllocation(const AllowAllocation&) = delete;
  AllowAllocation& operator=(const AllowAllocation&) = delete;

 private:
  int depth_;
};

}  // namespace takt::testing

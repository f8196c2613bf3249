// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace takt {

/// Something whose last user may be a real-time thread, which must not free it.
class Disposable {
 public:
  Disposable() = default;
  virtual ~Disposable() = default;
  Disposable(const Disposable&) = delete;
  Disposable& operator=(const Disposable&) = delete;

  /// Whether it can be destroyed now; asked again in every round of the house until it can. House thread.
  virtual bool disposable() noexcept { return true; }

 private:
  friend class Disposal;
  Disposable* next_ = nullptr;
};

/// Hands it to the house thread, which destroys it. After the house has ended (exit of the process) it is
/// left to the kernel. Real-time: lock-free, allocates nothing (once prepare_disposal() was called); a futex
/// wake when the house is in deep sleep.
void dispose(std::unique_ptr<Disposable> thing) noexcept;

/// Registers with the house of the process, so that dispose() need not. May block, may allocate.
void prepare_disposal();

}  // namespace takt

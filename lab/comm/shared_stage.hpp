// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "lab/comm/stage.hpp"

namespace takt::lab::comm {

/// The Stage of a session, in memory that has a descriptor but no name.
class SharedStage {
 public:
  /// Errors: CannotMeasure when there is not enough memory.
  explicit SharedStage(const Round& round);
  ~SharedStage();
  SharedStage(const SharedStage&) = delete;
  SharedStage& operator=(const SharedStage&) = delete;

  Stage* operator->() const noexcept { return static_cast<Stage*>(memory_); }
  Stage& operator*() const noexcept { return *static_cast<Stage*>(memory_); }
  int descriptor() const noexcept { return fd_; }

  /// Forgets the round before, of which what is still on its way is lost.
  void clear() noexcept;
  /// Asks for a round.
  void begin_turn() noexcept;
  /// Tells every end, also one that sleeps on a futex, that it is over.
  void end() noexcept;
  std::uint64_t received() const noexcept;  ///< so far, by all readers

 private:
  std::size_t bytes_;
  int fd_;
  void* memory_ = nullptr;
};

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "takt/transport/shm/reader.hpp"

namespace takt {

/// A message of another process that is read where it lies. Lives on the stack of who takes it; while it, or
/// what keep() returned, lives, the publisher does not reuse the memory.
class InPlace {
 public:
  InPlace() = default;
  /// `offset`: of the message in the view's bytes.
  void hold(shm::Reader::View&& view, std::size_t offset) noexcept {
    view_.emplace(std::move(view));
    offset_ = offset;
  }

  const void* message() const noexcept { return view_->bytes().data() + offset_; }
  /// For longer than this object lives. Allocates.
  std::shared_ptr<const void> keep() && {
    auto view = std::make_shared<shm::Reader::View>(std::move(*view_));
    const void* message = view->bytes().data() + offset_;
    return {std::move(view), message};
  }

 private:
  std::optional<shm::Reader::View> view_;
  std::size_t offset_ = 0;
};

}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "takt/core/segment.hpp"
#include "takt/transport/shm/layout.hpp"
#include "takt/transport/shm/reader.hpp"
#include "takt/transport/shm/rows.hpp"

namespace takt::shm {

/// A mapped segment and this reader's row in it: what a View needs after its Reader is gone. Internal to this
/// folder.
class Reader::Attachment {
 public:
  Attachment(std::shared_ptr<const Segment> segment, const layout::Geometry& geometry,
             std::uint32_t row) noexcept
      : segment_(std::move(segment)), access_(segment_->data(), geometry), row_(row) {}
  ~Attachment() {
    if (segment_->is_mapped_here()) rows::release(access_, row_);
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  const layout::Access& access() const noexcept { return access_; }
  layout::Row& row() const noexcept { return access_.row(row_); }

  /// From publish() to withdraw() the writer rings the bell, and a keep-all one waits for this reader.
  void publish(std::uint32_t bell) const noexcept { access_.wake(row_) = bell + 1; }
  void withdraw() const noexcept {
    if (segment_->is_mapped_here()) access_.wake(row_) = 0;
  }

  /// False when this reader holds it already, which cannot be unless the segment is damaged.
  bool hold(std::uint32_t slot) const noexcept { return (word(slot).fetch_or(mask()) & mask()) == 0; }
  void release(std::uint32_t slot) const noexcept {
    if (segment_->is_mapped_here()) word(slot).fetch_and(~mask());
  }

 private:
  std::atomic<std::uint64_t>& word(std::uint32_t slot) const noexcept {
    return access_.hold(slot, row_ / 64);
  }
  std::uint64_t mask() const noexcept { return std::uint64_t{1} << (row_ % 64); }

  std::shared_ptr<const Segment> segment_;
  layout::Access access_;
  std::uint32_t row_;
};

}  // namespace takt::shm

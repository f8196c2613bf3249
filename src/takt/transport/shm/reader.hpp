// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "takt/transport/shm/domain.hpp"
#include "takt/transport/shm/message.hpp"

namespace takt::shm {

namespace layout {
struct Header;
}
struct ReaderOptions {
  TypeHash type_hash{};
  std::uint64_t lease = 0;       ///< id of this process's lease in the domain
  std::uint32_t bell = 0;        ///< Bells::Bell::index() of the executor that shall be rung
  std::uint32_t depth = 1;       ///< it takes at most the newest so many; the older ones are lost
  bool transient_local = false;  ///< begin with what the writer retained, at most depth
};

struct ReaderCounters {
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;     ///< could have been taken, but were overwritten or beyond depth before
  std::uint64_t corrupt = 0;  ///< entries that cannot be: the segment was damaged
};

/// What a segment says of its publisher.
struct SegmentInfo {
  std::string type_name;
  std::string topic;
  std::uint64_t lease = 0;
  std::uint64_t publisher = 0;
  std::size_t max_size = 0;
};

/// Reads a publisher's segment in place. take() is for one thread at a time; a View may be released by any.
class Reader {
  class Attachment;

 public:
  class View;

  /// Errors: SetupError that names the file and why it cannot be read (no such file, another version or type,
  /// damaged, no free row). May block.
  static std::unique_ptr<Reader> attach(const Domain& domain, const std::filesystem::path& path,
                                        const ReaderOptions& options);
  /// Views that were taken stay valid.
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// The oldest message that was not taken, held until the View is destroyed; empty when there is none. Each
  /// hold keeps one slot from the writer. Real-time: lock-free, allocates nothing, no system call.
  std::optional<View> take() noexcept;
  /// Whether take() would find something. Any thread. Real-time: wait-free.
  bool ready() const noexcept;
  /// When the newest message was published, whether it was taken or not; empty when there is none, or when it
  /// is overwritten at this moment. Any thread. Real-time: wait-free.
  std::optional<SteadyTime> newest() const noexcept;
  /// From now on this bell is rung; look for messages afterwards. Any thread. Real-time: wait-free.
  void set_bell(std::uint32_t bell) noexcept;

  /// Real-time: wait-free.
  ReaderCounters counters() const noexcept;
  const SegmentInfo& info() const noexcept { return info_; }

 private:
  friend struct TestAccess;
  Reader(std::shared_ptr<Attachment> attachment, const layout::Header& header, const ReaderOptions& options);

  std::uint64_t next() const noexcept { return next_.load(std::memory_order_relaxed); }
  void move_to(std::uint64_t sequence) noexcept;
  void start(std::uint32_t bell, std::uint32_t retained) noexcept;
  void skip_to(std::uint64_t sequence) noexcept;
  std::uint64_t oldest() const noexcept;
  std::optional<View> take_entry(std::uint64_t entry) noexcept;
  bool plausible(std::uint64_t sequence) const noexcept;
  void count_corrupt() noexcept;

  std::shared_ptr<Attachment> attachment_;
  SegmentInfo info_;
  std::atomic<std::uint64_t> next_{1};  // sequence; changed by who takes
  std::uint32_t depth_ = 1;             // at most the ring's
  bool keep_all_ = false;
  bool started_ = false;
  std::atomic<bool> damaged_{false};  // the ring holds what no writer writes: nothing is taken any more
};

/// A message that is read where it lies. The bytes do not change while it lives.
class Reader::View {
 public:
  ~View();
  View(View&& other) noexcept = default;
  View& operator=(View&& other) noexcept;

  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  const MessageHeader& header() const noexcept { return header_; }
  std::uint64_t sequence() const noexcept { return sequence_; }

 private:
  friend class Reader;
  View() = default;

  std::shared_ptr<Attachment> attachment_;  // empty: moved from
  std::uint32_t slot_ = 0;
  std::uint64_t sequence_ = 0;
  std::span<const std::byte> bytes_;
  MessageHeader header_;
};

/// Of a header that was checked. Allocates.
SegmentInfo info_of(const layout::Header& header);
/// Reads the header alone, of a segment of any type. Errors: SetupError as in Reader::attach.
SegmentInfo read_info(const std::filesystem::path& path);

}  // namespace takt::shm

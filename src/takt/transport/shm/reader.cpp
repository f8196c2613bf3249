// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/reader.hpp"

#include <algorithm>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/transport/shm/attachment.hpp"

namespace takt::shm {
namespace {

// How often take() tries to overtake a writer that overwrites faster than it reads. Beyond that it says
// "none": the bell has moved meanwhile, so nobody goes to sleep over it.
constexpr int kAttempts = 64;

/// The slots that have memory, so that the first take of each does not wait for the kernel. A bound, because
/// a reader may never need the rest.
void prefault_slots(const Segment& segment, const layout::Geometry& geometry) {
  constexpr std::size_t kMost = 64U << 20U;
  const layout::Access access(segment.data(), geometry);
  const auto reserved = std::min<std::uint64_t>(access.head().reserved.load(), geometry.max_size);
  const auto size = sizeof(layout::SlotHeader) + reserved;
  for (std::uint32_t slot = 0; slot < geometry.slots && (slot + 1) * size <= kMost; ++slot) {
    segment.prefault(geometry.data + slot * geometry.slot_stride, size);
  }
}

}  // namespace

SegmentInfo info_of(const layout::Header& header) {
  SegmentInfo info;
  info.type_name = header.type_name.data();
  info.topic = header.topic.data();
  info.lease = header.lease;
  info.publisher = header.publisher;
  info.max_size = header.max_size;
  return info;
}

SegmentInfo read_info(const std::filesystem::path& path) {
  const auto segment = Segment::open(path);
  return info_of(layout::check_header(segment, nullptr).header);
}

std::unique_ptr<Reader> Reader::attach(const Domain& domain, const std::filesystem::path& path,
                                       const ReaderOptions& options) {
  TAKT_CHECK(options.lease != 0);
  auto segment = std::make_shared<Segment>(Segment::open(path));
  const auto [header, geometry] = layout::check_header(*segment, &options.type_hash);
  segment->make_writable(geometry.control, geometry.ring - geometry.control);
  segment->close_descriptor();
  segment->prefault(geometry.control,
                    geometry.holds + geometry.slots * geometry.hold_stride - geometry.control, true);
  segment->prefault(geometry.ring, geometry.data - geometry.ring);
  prefault_slots(*segment, geometry);
  const auto row = rows::claim({segment->data(), geometry}, domain.path(), options.lease);
  if (!row) {
    throw SetupError(
        "all " + std::to_string(geometry.rows) + " readers of segment " + path.string() + " are in use",
        "give the publisher more readers");
  }
  auto attachment = std::make_shared<Attachment>(std::move(segment), geometry, *row);
  return std::unique_ptr<Reader>(new Reader(std::move(attachment), header, options));
}

Reader::Reader(std::shared_ptr<Attachment> attachment, const layout::Header& header,
               const ReaderOptions& options)
    : attachment_(std::move(attachment)),
      info_(info_of(header)),
      depth_(std::clamp<std::uint32_t>(options.depth, 1, header.depth)),
      keep_all_(header.keep_all != 0) {
  start(options.bell, options.transient_local ? std::min(depth_, header.retained) : 0);
}

Reader::~Reader() { attachment_->withdraw(); }

// What is committed once the row is published is told to it, so a message may be told before this thread goes
// on: a volatile reader begins with the head of before. Only the retained ones are found afterwards.
void Reader::start(std::uint32_t bell, std::uint32_t retained) noexcept {
  const auto& head = attachment_->access().head().next;
  const auto before = head.load();
  move_to(before);
  attachment_->publish(bell);
  if (retained == 0) return;
  const auto after = head.load();
  move_to(std::min(before, after > retained ? after - retained : 1));
}

void Reader::move_to(std::uint64_t sequence) noexcept {
  next_.store(sequence, std::memory_order_relaxed);
  attachment_->row().next.store(sequence);
}

std::uint64_t Reader::oldest() const noexcept {
  const auto head = attachment_->access().head().next.load();
  return head > depth_ ? head - depth_ : 1;
}

void Reader::skip_to(std::uint64_t sequence) noexcept {
  auto& row = attachment_->row();
  // A keep-all writer may have overwritten the first while it had not seen this reader's start yet.
  if (started_ || !keep_all_) row.lost.store(row.lost.load(std::memory_order_relaxed) + sequence - next());
  move_to(sequence);
}

void Reader::count_corrupt() noexcept {
  auto& row = attachment_->row();
  row.corrupt.store(row.corrupt.load(std::memory_order_relaxed) + 1);
}

/// Whether a writer may have put this one where next() was expected: a ring later, and not beyond its head.
bool Reader::plausible(std::uint64_t sequence) const noexcept {
  const auto& access = attachment_->access();
  return (sequence - next()) % access.geometry().depth == 0 && sequence <= access.head().next.load();
}

std::optional<Reader::View> Reader::take() noexcept {
  if (damaged_.load(std::memory_order_relaxed)) return std::nullopt;
  const auto& access = attachment_->access();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (depth_ < access.geometry().depth) {
      if (const auto first = oldest(); next() < first) skip_to(first);
    }
    const auto entry = access.entry(next()).load();
    const auto sequence = layout::sequence_of(entry);
    if (sequence < next()) return std::nullopt;
    if (sequence > next()) {
      if (!plausible(sequence)) {
        count_corrupt();
        damaged_.store(true, std::memory_order_relaxed);
        return std::nullopt;
      }
      skip_to(std::max(oldest(), next() + 1));
      continue;
    }
    if (auto view = take_entry(entry)) return view;
  }
  return std::nullopt;
}

/// Empty when the entry was overwritten before the hold was set, or cannot be.
std::optional<Reader::View> Reader::take_entry(std::uint64_t entry) noexcept {
  const auto& access = attachment_->access();
  const auto slot = layout::slot_of(entry);
  if (slot >= access.geometry().slots || !attachment_->hold(slot)) {
    count_corrupt();
    move_to(next() + 1);
    return std::nullopt;
  }
  if (access.entry(next()).load() != entry) {
    attachment_->release(slot);
    return std::nullopt;
  }
  View view;
  view.attachment_ = attachment_;
  view.slot_ = slot;
  view.sequence_ = next();
  const auto& header = access.slot(slot);
  const auto size = header.size.load(std::memory_order_relaxed);
  auto& row = attachment_->row();
  next_.store(view.sequence_ + 1, std::memory_order_relaxed);
  started_ = true;
  row.next.store(view.sequence_ + 1, std::memory_order_release);
  if (size > access.geometry().max_size) {
    count_corrupt();
    return std::nullopt;
  }
  row.taken.store(row.taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  view.bytes_ = {access.bytes(slot), static_cast<std::size_t>(size)};
  view.header_ = {SteadyTime{Duration{header.published.load(std::memory_order_relaxed)}},
                  header.origin.load(std::memory_order_relaxed),
                  SteadyTime{Duration{header.origin_time.load(std::memory_order_relaxed)}},
                  header.publisher.load(std::memory_order_relaxed)};
  return view;
}

bool Reader::ready() const noexcept {
  const auto wanted = next();
  return !damaged_.load(std::memory_order_relaxed) &&
         layout::sequence_of(attachment_->access().entry(wanted).load()) >= wanted;
}

std::optional<SteadyTime> Reader::newest() const noexcept {
  const auto& access = attachment_->access();
  auto sequence = access.head().next.load();
  if (layout::sequence_of(access.entry(sequence).load()) != sequence) --sequence;  // see RingHead
  const auto entry = access.entry(sequence).load();
  const auto slot = layout::slot_of(entry);
  if (layout::sequence_of(entry) == 0 || slot >= access.geometry().slots) return std::nullopt;
  const auto published = access.slot(slot).published.load(std::memory_order_acquire);
  if (access.entry(sequence).load() != entry) return std::nullopt;  // its slot may be another message's now
  return SteadyTime{Duration{published}};
}

void Reader::set_bell(std::uint32_t bell) noexcept { attachment_->publish(bell); }

ReaderCounters Reader::counters() const noexcept {
  const auto& row = attachment_->row();
  return {row.taken.load(std::memory_order_relaxed), row.lost.load(std::memory_order_relaxed),
          row.corrupt.load(std::memory_order_relaxed)};
}

Reader::View::~View() {
  if (attachment_) attachment_->release(slot_);
}

Reader::View& Reader::View::operator=(View&& other) noexcept {
  View old(std::move(*this));  // released at the end
  attachment_ = std::move(other.attachment_);
  slot_ = other.slot_;
  sequence_ = other.sequence_;
  bytes_ = other.bytes_;
  header_ = other.header_;
  return *this;
}

}  // namespace takt::shm

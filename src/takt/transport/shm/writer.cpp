// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/writer.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "takt/core/error.hpp"
#include "takt/core/unnamed_file.hpp"
#include "takt/transport/shm/rows.hpp"

// Invariants (s = a sequence, d = depth):
//  1. The entry at s % d holds s - d (or nothing, 0), then s, then s + d, ... It changes only by
//  compare-and-swap
//     of the whole entry and never goes back.
//  2. head <= s implies that nothing above s is committed: only sequence `head` is, and head moves from s to
//  s + 1
//     only when s is committed (any thread of the writer may move it). Readers go by the entries, not by
//     head, so a writer that dies in between has published.
//  3. A slot is reused only when it left the ring and no reader's bit was set afterwards. A reader uses a
//  slot only
//     when the entry still named it after its bit was set. Entry and bits are read and written sequentially
//     consistent on both sides.
//  4. A reader reads head, publishes its row, and begins with that head or before it; commit puts the message
//     into the ring before it looks at the rows. So whatever is sent once the row is seen is told to the
//     reader and found by it.

namespace takt::shm {
namespace {

void put_name(std::array<char, layout::kNameSize>& place, const std::string& name, const char* what) {
  if (name.size() >= place.size()) {
    throw SetupError(
        std::string(what) + " '" + name + "' is longer than " + std::to_string(place.size() - 1) + " bytes",
        "use a shorter one");
  }
  std::ranges::copy(name, place.begin());
}

void check_options(const WriterOptions& options) {
  const auto demand = [&](bool holds, const char* what, const char* fix) {
    if (!holds) throw SetupError("publisher of '" + options.topic + "': " + what, fix);
  };
  TAKT_CHECK(options.lease != 0);
  demand(options.depth >= 1 && options.depth <= kMostDepth, "its depth is out of range", "use 1 to 32767");
  demand(options.spare >= 1 && options.spare <= kMostDepth, "its spare slots are out of range",
         "use 1 to 32767");
  demand(options.readers >= 1 && options.readers <= layout::kMostRows,
         "its number of readers is out of range", "use 1 to 1024");
  demand(options.max_size <= layout::kLargestMessage, "its messages are larger than 64 MiB",
         "send large data in parts");
}

layout::Header header_of(const WriterOptions& options, const layout::Geometry& geometry) {
  layout::Header header{};
  header.prefix = {layout::kMagic, layout::kVersion, 0, options.type_hash, layout::own_time_namespace(), 0};
  header.slots = geometry.slots;
  header.rows = geometry.rows;
  header.depth = geometry.depth;
  header.retained = std::min(options.retained, options.depth);
  header.max_size = geometry.max_size;
  header.keep_all = options.history == History::keep_all ? 1 : 0;
  header.lease = options.lease;
  header.publisher = options.publisher;
  put_name(header.type_name, options.type_name, "the type");
  put_name(header.topic, options.topic, "the topic");
  header.checksum = layout::checksum_of(header);
  return header;
}

/// Nothing to construct: a new file is zero, and so are the atomics in it.
void initialise(const layout::Access& access, std::byte* base, const layout::Header& header) {
  std::memcpy(base, &header, sizeof header);
  access.head().next = 1;
  for (std::uint32_t row = 0; row < header.rows; ++row) access.row(row).next = rows::kReadsNothingYet;
}

}  // namespace

const char* to_string(Refusal refusal) noexcept {
  constexpr std::array<const char*, kRefusals> kTexts = {"none",
                                                         "larger than the maximum",
                                                         "no memory reserved for its size",
                                                         "no memory left",
                                                         "every slot is in use",
                                                         "a reader has not taken the oldest",
                                                         "a string is longer than its type allows"};
  return kTexts[static_cast<std::size_t>(refusal)];
}

std::unique_ptr<Writer> Writer::create(const Domain& domain, std::shared_ptr<Bells> bells,
                                       const WriterOptions& options) {
  check_options(options);
  const layout::Geometry geometry(options.depth + options.spare, options.readers, options.depth,
                                  options.max_size);
  const auto header = header_of(options, geometry);
  auto segment = Segment::create(domain.path(), geometry.end);
  const auto out_of_memory = [&] {
    throw_system_error("no memory for the publisher of '" + options.topic + "' in " + domain.path().string(),
                       errno);
  };
  if (!segment.reserve(0, geometry.data)) out_of_memory();
  initialise({segment.data(), geometry}, segment.data(), header);
  std::unique_ptr<Writer> writer(new Writer(domain, std::move(bells), options, std::move(segment), geometry));
  if (!writer->reserve(std::min(options.reserved, options.max_size))) out_of_memory();
  writer->segment_->publish(domain.path() / Domain::random_name("segment"));
  return writer;
}

Writer::Writer(const Domain& domain, std::shared_ptr<Bells> bells, const WriterOptions& options,
               Segment segment, const layout::Geometry& geometry)
    : folder_(domain.path()),
      bells_(std::move(bells)),
      segment_(std::make_shared<Segment>(std::move(segment))),
      access_(segment_->data(), geometry),
      lease_(options.lease),
      keep_all_(options.history == History::keep_all),
      free_(geometry.slots),
      retired_(new std::atomic<std::uint64_t>[(geometry.slots + 63) / 64]()),
      memory_(new std::atomic<std::size_t>[geometry.slots]()) {}

Writer::~Writer() = default;

Writer::Filling Writer::filling_of(std::uint32_t slot, std::size_t size) noexcept {
  return Filling(*this, slot, {access_.bytes(slot), size});
}

Writer::Filling Writer::begin(std::size_t size) noexcept {
  if (size > access_.geometry().max_size) return Filling(Refusal::too_large);
  if (keep_all_ && is_full()) return Filling(Refusal::full);
  auto slot = take_slot();
  if (!slot) return Filling(Refusal::no_slot);
  if (memory_[*slot].load(std::memory_order_relaxed) < size) {
    free_.release(*slot);
    slot = take_slot_of(size);
    if (!slot) {
      largest_wanted_.store(std::max(largest_wanted_.load(), size), std::memory_order_relaxed);
      return Filling(Refusal::not_reserved);
    }
  }
  return filling_of(*slot, size);
}

Writer::Filling Writer::begin_growing(std::size_t size) noexcept {
  if (size > access_.geometry().max_size) return Filling(Refusal::too_large);
  if (keep_all_ && is_full()) return Filling(Refusal::full);
  const auto slot = take_slot();
  if (!slot) return Filling(Refusal::no_slot);
  if (!grow(*slot, size)) {
    free_.release(*slot);
    return Filling(Refusal::no_memory);
  }
  return filling_of(*slot, size);
}

CommitResult Writer::commit(Filling&& filling, const MessageHeader& header) noexcept {
  CommitResult result;
  result.refusal = filling.refusal_;
  if (!filling) count_refused(result.refusal);
  if (filling.writer_ == nullptr) return result;
  TAKT_CHECK(filling.writer_ == this);
  auto& place = access_.slot(filling.slot_);
  place.size.store(filling.bytes_.size(), std::memory_order_relaxed);
  place.published.store(header.published.time_since_epoch().count(), std::memory_order_relaxed);
  place.origin.store(header.origin, std::memory_order_relaxed);
  place.origin_time.store(header.origin_time.time_since_epoch().count(), std::memory_order_relaxed);
  place.publisher.store(header.publisher, std::memory_order_relaxed);
  result = append(filling.slot_);
  if (result.refusal != Refusal::none) {  // the filling gives its slot back
    count_refused(result.refusal);
    return result;
  }
  filling.writer_ = nullptr;
  ring(result);
  return result;
}

void Writer::count_refused(Refusal reason) noexcept {
  refused_[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
}

CommitResult Writer::append(std::uint32_t slot) noexcept {
  auto& head = access_.head().next;
  for (;;) {
    auto sequence = head.load();
    auto entry = access_.entry(sequence).load();
    const auto older = layout::sequence_of(entry);
    if (older == sequence) head.compare_exchange_strong(sequence, sequence + 1);  // another thread's: help it
    if (older >= sequence) continue;
    if (keep_all_ && older != 0 && !taken_by_all(older)) {
      if (head.load() != sequence) continue;
      return {.refusal = Refusal::full};
    }
    if (!access_.entry(sequence).compare_exchange_strong(entry, layout::pack(sequence, slot))) continue;
    const CommitResult result{.sequence = sequence, .displaced = older != 0};
    head.compare_exchange_strong(sequence, sequence + 1);
    if (older != 0) retire(layout::slot_of(entry));
    return result;
  }
}

void Writer::ring(CommitResult& result) noexcept {
  Bells::Round round(*bells_);
  const auto used = access_.rows_used();
  for (std::uint32_t row = 0; row < used; ++row) {
    const auto bell = access_.wake(row).load();
    if (bell == 0) continue;
    round.move(bell - 1);
    ++result.delivered;
  }
  round.wake();
}

bool Writer::taken_by_all(std::uint64_t sequence) const noexcept {
  const auto used = access_.rows_used();
  for (std::uint32_t row = 0; row < used; ++row) {
    if (access_.wake(row).load() != 0 && access_.row(row).next.load() <= sequence) return false;
  }
  return true;
}

bool Writer::is_full() const noexcept {
  const auto sequence = access_.head().next.load();
  const auto older = layout::sequence_of(access_.entry(sequence).load());
  return older != 0 && older < sequence && !taken_by_all(older);
}

std::optional<std::uint32_t> Writer::take_slot() noexcept {
  if (retired_count_.load(std::memory_order_relaxed) != 0) free_released();
  return free_.claim();
}

// Slots are claimed from the first on, so a grown one is found soon. Those on the way are put aside
// meanwhile.
std::optional<std::uint32_t> Writer::take_slot_of(std::size_t size) noexcept {
  std::array<std::uint32_t, 32> small{};
  std::size_t count = 0;
  std::optional<std::uint32_t> slot;
  while (count < small.size() && (slot = free_.claim()) &&
         memory_[*slot].load(std::memory_order_relaxed) < size) {
    small[count++] = *slot;
    slot.reset();
  }
  for (std::size_t i = 0; i < count; ++i) free_.release(small[i]);
  return slot;
}

// Needs no ownership: giving memory to a slot that is in use changes nothing in it.
bool Writer::grow(std::uint32_t slot, std::size_t size) noexcept {
  auto& memory = memory_[slot];
  auto seen = memory.load(std::memory_order_relaxed);
  if (seen >= size && size > 0) return true;
  const auto offset = access_.geometry().data + slot * access_.geometry().slot_stride;
  if (!segment_->reserve(offset, sizeof(layout::SlotHeader) + size)) return false;
  while (seen < size && !memory.compare_exchange_weak(seen, size, std::memory_order_relaxed)) {
  }
  return true;
}

bool Writer::reserve(std::size_t size) noexcept {
  size = std::min<std::size_t>(size, access_.geometry().max_size);
  for (std::uint32_t slot = 0; slot < access_.geometry().slots; ++slot) {
    if (!grow(slot, size)) return false;
  }
  auto& reserved = access_.head().reserved;
  auto seen = reserved.load(std::memory_order_relaxed);
  while (seen < size && !reserved.compare_exchange_weak(seen, size, std::memory_order_relaxed)) {
  }
  return true;
}

void Writer::retire(std::uint32_t slot) noexcept {
  if (!access_.is_held(slot)) return free_.release(slot);
  retired_count_.fetch_add(1, std::memory_order_relaxed);
  retired_[slot / 64].fetch_or(std::uint64_t{1} << (slot % 64));
}

void Writer::free_released() noexcept {
  const auto words = (access_.geometry().slots + 63) / 64;
  for (std::uint32_t word = 0; word < words; ++word) {
    for (auto left = retired_[word].load(); left != 0; left &= left - 1) {
      const auto mask = left & (~left + 1);
      const auto slot = word * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      // Whoever takes the bit owns the slot; most are looked at without.
      if (access_.is_held(slot) || (retired_[word].fetch_and(~mask) & mask) == 0) continue;
      if (access_.is_held(slot)) {  // it was another message's that the first look saw released
        retired_[word].fetch_or(mask);
        continue;
      }
      retired_count_.fetch_sub(1, std::memory_order_relaxed);
      free_.release(slot);
    }
  }
}

std::uint32_t Writer::reclaim() noexcept {
  const auto count = rows::reclaim(access_, folder_, lease_);
  free_released();
  return count;
}

std::uint32_t Writer::listeners() const noexcept {
  std::uint32_t count = 0;
  const auto used = access_.rows_used();
  for (std::uint32_t row = 0; row < used; ++row) count += access_.wake(row).load() != 0 ? 1U : 0U;
  return count;
}

bool Writer::watched() const noexcept {
  const auto used = access_.rows_used();
  for (std::uint32_t row = 0; row < used; ++row) {
    if (access_.wake(row).load() != 0) return true;
  }
  return false;
}

WriterCounters Writer::counters() const noexcept {
  WriterCounters counters;
  const auto head = access_.head().next.load();
  const auto oldest = head > access_.geometry().depth ? head - access_.geometry().depth : 1;
  counters.committed = head - 1;
  for (std::size_t i = 0; i < kRefusals; ++i)
    counters.refused[i] = refused_[i].load(std::memory_order_relaxed);
  counters.largest_wanted = largest_wanted_.load(std::memory_order_relaxed);
  counters.taken = access_.control().departed_taken.load();
  counters.lost = access_.control().departed_lost.load();
  for (std::uint32_t i = 0; i < access_.rows_used(); ++i) {
    const auto& row = access_.row(i);
    counters.readers += row.owner.load() != 0 ? 1U : 0U;
    counters.taken += row.taken.load();
    counters.lost += row.lost.load();
    const auto next = row.next.load();  // a stopped reader has not counted these yet
    if (next < oldest && access_.wake(i).load() != 0) counters.lost += oldest - next;
    counters.corrupt += row.corrupt.load();
  }
  counters.slots_free = access_.geometry().slots - free_.claimed();
  counters.slots_held = retired_count_.load(std::memory_order_relaxed);
  return counters;
}

Writer::Filling::~Filling() {
  if (writer_ != nullptr) writer_->free_.release(slot_);
}

}  // namespace takt::shm

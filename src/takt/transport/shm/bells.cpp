// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/bells.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/lease.hpp"
#include "takt/core/unnamed_file.hpp"

namespace takt::shm {

namespace layout {

struct alignas(64) Bell {
  std::atomic<std::uint64_t> owner;  // lease of the process; 0: free
  std::atomic<std::uint32_t> moved;  // the futex word
  std::atomic<std::uint32_t> waiting;
  std::atomic<std::int32_t> priority;
};
static_assert(sizeof(Bell) == 64);

struct alignas(64) BellsHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t rows;
};

}  // namespace layout

namespace {

constexpr std::array<char, 8> kBellsMagic = {'t', 'a', 'k', 't', 'b', 'e', 'l', 'l'};
constexpr std::uint32_t kBellsVersion = 1;
constexpr std::size_t kBellsSize = sizeof(layout::BellsHeader) + Bells::kRows * sizeof(layout::Bell);

/// Creates the file unless another process has done so meanwhile.
void create_bells(const Domain& domain) {
  const auto path = domain.path() / kBellsName;
  if (std::filesystem::exists(path)) return;
  auto segment = Segment::create(domain.path(), kBellsSize);
  if (!segment.reserve(0, kBellsSize)) throw_system_error("no memory for " + path.string(), errno);
  const layout::BellsHeader header{kBellsMagic, kBellsVersion, Bells::kRows};
  std::memcpy(segment.data(), &header, sizeof header);
  if (!segment.publish_for_good(path) && errno != EEXIST) {
    throw_system_error("cannot create " + path.string(), errno);
  }
}

void check_bells(const Segment& segment) {
  layout::BellsHeader header{};
  if (segment.size() == kBellsSize) std::memcpy(&header, segment.data(), sizeof header);
  if (header.magic != kBellsMagic || header.version != kBellsVersion || header.rows != Bells::kRows) {
    throw SetupError(segment.path().string() + " is damaged",
                     "end all programs of this domain and remove it");
  }
}

}  // namespace

std::shared_ptr<Bells> Bells::open(const Domain& domain, std::uint64_t lease) {
  TAKT_CHECK(lease != 0);
  create_bells(domain);
  auto segment = Segment::open(domain.path() / kBellsName);
  check_bells(segment);
  segment.make_writable(0, segment.size());
  segment.close_descriptor();
  segment.prefault(0, segment.size(), true);
  return std::shared_ptr<Bells>(new Bells(std::move(segment), domain.path(), lease));
}

Bells::Bells(Segment segment, std::filesystem::path folder, std::uint64_t lease)
    : segment_(std::move(segment)), folder_(std::move(folder)), lease_(lease) {}

layout::Bell& Bells::row(std::uint32_t index) const noexcept {
  return *reinterpret_cast<layout::Bell*>(segment_.data() + sizeof(layout::BellsHeader) +
                                          index * sizeof(layout::Bell));
}

std::unique_ptr<Bells::Bell> Bells::claim(int priority) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (std::uint32_t i = 0; i < kRows; ++i) {
      std::uint64_t free = 0;
      if (!row(i).owner.compare_exchange_strong(free, lease_)) continue;
      row(i).waiting = 0;
      row(i).priority = priority;
      return std::make_unique<Bell>(shared_from_this(), i);
    }
    reclaim();
  }
  throw SetupError("all " + std::to_string(kRows) + " bells of " + segment_.path().string() + " are in use",
                   "run fewer executors in one domain");
}

void Bells::ring(std::uint32_t index) noexcept {
  if (index >= kRows) return;
  auto& bell = row(index);
  bell.moved.fetch_add(1);
  // Not taken back by who wakes: a slow one that was preempted here would keep the others from waking.
  if (bell.waiting.load() != 0) futex::wake_shared(bell.moved);
}

void Bells::Round::move(std::uint32_t index) noexcept {
  if (index >= kRows) return;
  auto& bell = bells_.row(index);
  bell.moved.fetch_add(1);
  if (bell.waiting.load() == 0 || count_ == kMost) return;
  if (count_ > 0 && sleepers_[count_ - 1].row == index) return;  // two readers of one executor
  sleepers_[count_++] = {bell.priority.load(std::memory_order_relaxed), index};
}

void Bells::Round::wake() noexcept {
  const std::span sleepers(sleepers_, count_);
  if (count_ > 1) std::ranges::sort(sleepers, std::greater{}, &Sleeper::priority);
  for (const auto& sleeper : sleepers) futex::wake_shared(bells_.row(sleeper.row).moved);
}

std::uint32_t Bells::reclaim() noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    auto owner = row(i).owner.load();
    if (owner == 0 || owner == lease_ || Lease::alive(folder_ / Domain::name_of("lease", owner))) continue;
    if (row(i).owner.compare_exchange_strong(owner, 0)) ++count;
  }
  return count;
}

std::uint32_t Bells::in_use() const noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < kRows; ++i) count += row(i).owner.load() != 0 ? 1U : 0U;
  return count;
}

Bells::Bell::~Bell() {
  if (bells_->segment_.is_mapped_here()) bells_->row(index_).owner = 0;
}

std::uint32_t Bells::Bell::value() const noexcept { return bells_->row(index_).moved.load(); }

std::atomic<std::uint32_t>& Bells::Bell::word() noexcept { return bells_->row(index_).moved; }

void Bells::Bell::wake_one() noexcept { futex::wake_shared(word(), 1); }
void Bells::Bell::wake_all() noexcept { futex::wake_shared(word(), std::numeric_limits<int>::max()); }

void Bells::Bell::set_priority(int priority) noexcept {
  bells_->row(index_).priority.store(priority, std::memory_order_relaxed);
}

WaitResult Bells::Bell::wait(std::uint32_t seen, SteadyTime deadline) noexcept {
  auto& bell = bells_->row(index_);
  bell.waiting.fetch_add(1);
  auto result = WaitResult::woken;
  if (bell.moved.load() == seen) result = futex::wait_shared(bell.moved, seen, deadline);
  bell.waiting.fetch_sub(1);
  return result;
}

}  // namespace takt::shm

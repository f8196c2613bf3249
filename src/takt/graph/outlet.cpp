// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/outlet.hpp"

#include <sched.h>

#include <utility>

#include "takt/core/house.hpp"

namespace takt {
namespace {

bool on_real_time_thread() noexcept {
  const int policy = ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

}  // namespace

shm::Writer::Filling Outlet::begin(std::size_t size) noexcept {
  auto filling = writer_->begin(size);
  if (filling) return filling;
  if (filling.refusal() == shm::Refusal::not_reserved) {
    if (!on_real_time_thread()) return writer_->begin_growing(size);
    wanted_.store(size, std::memory_order_relaxed);
    house_.stir();
  } else if (filling.refusal() == shm::Refusal::no_slot || filling.refusal() == shm::Refusal::full) {
    reclaim_wanted_.store(true, std::memory_order_relaxed);
    house_.stir();
  }
  return filling;
}

shm::CommitResult Outlet::commit(shm::Writer::Filling&& filling, const MessageInfo& info) noexcept {
  shm::MessageHeader header;
  header.published = info.published;
  header.origin = info.origin.section;
  header.origin_time = info.origin.at;
  header.publisher = publisher_;
  const auto result = writer_->commit(std::move(filling), header);
  if (result.delivered != 0) delivered_.fetch_add(result.delivered, std::memory_order_relaxed);
  return result;
}

bool Outlet::serve() noexcept {
  const auto wanted = wanted_.exchange(0);
  if (wanted != 0) writer_->reserve(wanted);
  const bool reclaim_wanted = reclaim_wanted_.exchange(false);
  if (reclaim_wanted) writer_->reclaim();
  return wanted != 0 || reclaim_wanted;
}

OutletCounters Outlet::counters() const noexcept {
  const auto writer = writer_->counters();
  OutletCounters out;
  out.sent = writer.committed;
  out.delivered = delivered_.load(std::memory_order_relaxed);
  out.taken = writer.taken;
  out.lost = writer.lost;
  for (const auto refused : writer.refused) out.refused += refused;
  out.readers = writer.readers;
  return out;
}

}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/inlet_set.hpp"

#include <algorithm>
#include <utility>

#include "takt/core/house.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt {

InletSet::Taken InletSet::stamped(shm::Reader::View&& view, const Inlet& inlet) noexcept {
  const auto& header = view.header();
  MessageInfo info;
  // What another process wrote is not believed: nothing was published in the future.
  info.published = std::min(header.published, SteadyClock::instance()->steady_now());
  info.received = info.published;
  info.sequence = view.sequence();
  info.publisher = header.publisher;
  info.origin = {std::min(header.origin_time, info.published), static_cast<timing::SectionId>(header.origin)};
  const auto release = std::max(info.published, inlet.joined);
  return {std::move(view), info, release};
}

std::optional<InletSet::Taken> InletSet::take() noexcept {
  if (size() == 0) return std::nullopt;
  const auto list = inlets_.read();
  const auto& inlets = list->inlets;
  const auto first = turn_.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < inlets.size(); ++i) {
    const auto at = (first + i) % static_cast<std::uint32_t>(inlets.size());
    auto& inlet = *inlets[at];
    if (!inlet.reader->ready() || inlet.busy.exchange(true)) continue;
    auto view = inlet.reader->take();
    inlet.busy.store(false);
    if (inlet.closed.load()) House::of_process().stir();  // it may be empty now, or damaged
    if (!view) continue;
    turn_.store(at + 1, std::memory_order_relaxed);
    return stamped(std::move(*view), inlet);
  }
  return std::nullopt;
}

bool InletSet::ready() const noexcept {
  if (size() == 0) return false;
  const auto list = inlets_.read();
  for (const auto& inlet : list->inlets) {
    if (!inlet->busy.load() && inlet->reader->ready()) return true;
  }
  return false;
}

SteadyTime InletSet::newest() const noexcept {
  auto newest = SteadyTime::min();
  if (size() == 0) return newest;
  const auto list = inlets_.read();
  for (const auto& inlet : list->inlets) {
    if (const auto published = inlet->reader->newest()) newest = std::max(newest, *published);
  }
  return std::min(newest, SteadyClock::instance()->steady_now());  // not believed, as in stamped()
}

void InletSet::replace(std::vector<std::shared_ptr<Inlet>> inlets) {
  auto next = std::make_unique<List>();
  next->inlets = std::move(inlets);
  const auto count = static_cast<std::uint32_t>(next->inlets.size());
  inlets_.replace(std::move(next));
  count_.store(count);
}

void InletSet::add(shm::EndpointId publisher, std::unique_ptr<shm::Reader> reader) {
  auto inlet = std::make_shared<Inlet>();
  inlet->publisher = publisher;
  inlet->reader = std::move(reader);
  inlet->joined = SteadyClock::instance()->steady_now();
  const std::lock_guard lock(mutex_);
  inlet->reader->set_bell(bell_.load());
  auto inlets = inlets_.current().inlets;
  inlets.push_back(std::move(inlet));
  replace(std::move(inlets));
}

bool InletSet::close(shm::EndpointId publisher) noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& inlet : inlets_.current().inlets) {
    if (inlet->publisher != publisher) continue;
    inlet->closed.store(true);
    return true;
  }
  return false;
}

void InletSet::set_bell(std::uint32_t row) noexcept {
  const std::lock_guard lock(mutex_);
  bell_.store(row);
  for (const auto& inlet : inlets_.current().inlets) inlet->reader->set_bell(row);
}

void InletSet::clear() {
  const std::lock_guard lock(mutex_);
  if (inlets_.current().inlets.empty()) return;
  for (const auto& inlet : inlets_.current().inlets) add_counters(*inlet, departed_);
  replace({});
}

void InletSet::add_counters(const Inlet& inlet, InletCounters& sum) noexcept {
  const auto counters = inlet.reader->counters();
  sum.taken += counters.taken;
  sum.lost += counters.lost;
  sum.corrupt += counters.corrupt;
}

InletCounters InletSet::counters() const {
  const std::lock_guard lock(mutex_);
  auto sum = departed_;
  for (const auto& inlet : inlets_.current().inlets) add_counters(*inlet, sum);
  return sum;
}

bool InletSet::collect() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Inlet>> left;
  for (const auto& inlet : inlets_.current().inlets) {
    if (!inlet->closed.load() || inlet->busy.load() || inlet->reader->ready()) {
      left.push_back(inlet);
      continue;
    }
    add_counters(*inlet, departed_);
  }
  if (left.size() != inlets_.current().inlets.size()) replace(std::move(left));
  return inlets_.collect();
}

}  // namespace takt

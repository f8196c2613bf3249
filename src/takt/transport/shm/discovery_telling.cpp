// SPDX-License-Identifier: Apache-2.0
// How discovery's thread keeps its peers: tells them, looks after them, and parts from them.
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/discovery_loop.hpp"

namespace takt::shm {
namespace {

constexpr Duration kLeftoverPatience = std::chrono::milliseconds{20};
constexpr Duration kLongestLeftover = std::chrono::seconds{40};

SteadyTime telling_time() { return SteadyClock::instance()->steady_now(); }

/// Closing alone would not do: a forked child may hold the same file open, and epoll would go on to report
/// it.
void forget_fd(const Descriptor& epoll, int fd) {
  if (fd >= 0) ::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, fd, nullptr);
}

}  // namespace

PeerLink& Discovery::Loop::meet(const std::string& process) {
  const std::lock_guard lock(mutex_);
  auto& peer = peers_[process];
  peer.number = ++last_number_;
  peer.process = process;
  peer.inbox = inbox_of(domain_, process);
  process_of_[peer.number] = process;
  return peer;
}

PeerLink* Discovery::Loop::find(std::uint64_t number) {
  const auto process = process_of_.find(number);
  return process == process_of_.end() ? nullptr : &peers_.find(process->second)->second;
}

/// `peer` is gone after this. The segments that it announced.
std::vector<std::string> Discovery::Loop::part(PeerLink& peer, Departure reason) {
  forget_fd(epoll_, peer.pidfd.get());
  if (peer.full) forget_fd(epoll_, peer.full->fd());
  process_of_.erase(peer.number);
  std::vector<Endpoint> gone;
  {
    const std::lock_guard lock(mutex_);
    gone = peer.view.clear();
    peers_.erase(peers_.find(peer.process));
  }
  std::vector<std::string> segments;
  for (auto& endpoint : gone) {
    if (!endpoint.segment.empty()) segments.push_back(endpoint.segment);
    news_.emplace_back([this, reason, endpoint = std::move(endpoint)] {
      if (owner_.on_gone) owner_.on_gone(endpoint, reason);
    });
  }
  return segments;
}

void Discovery::Loop::bury(PeerLink& peer) {
  const auto process = peer.process;
  const bool was_known = peer.view.complete();
  const auto segments = part(peer, Departure::died);
  clear_away({process}, was_known ? segments : std::vector<std::string>{});
  if (process_lives(domain_, process))
    leftovers_[process] = {telling_time() + kLeftoverPatience, kLeftoverPatience};
}

/// Each time after twice as long. One that is never let go of is left to those who come later.
void Discovery::Loop::clear_leftovers() {
  const auto time = telling_time();
  for (auto it = leftovers_.begin(); it != leftovers_.end();) {
    auto& [process, leftover] = *it;
    if (leftover.again > time) {
      ++it;
      continue;
    }
    clear_away({process}, {});
    leftover.patience *= 2;
    leftover.again = time + leftover.patience;
    it = process_lives(domain_, process) && leftover.patience < kLongestLeftover ? std::next(it)
                                                                                 : leftovers_.erase(it);
  }
}

/// The leases last: as long as one is there, somebody will look again.
void Discovery::Loop::clear_away(const std::vector<std::string>& dead,
                                 const std::vector<std::string>& segments) {
  if (owner_.remove_segments) call([&] { owner_.remove_segments(domain_, segments); });
  for (const auto& process : dead) counters_.reclaimed += reclaim_process(domain_, process) ? 1U : 0U;
}

void Discovery::Loop::go_on_telling(PeerLink& peer) {
  if (!peer.full) return;
  forget_fd(epoll_, peer.full->fd());
  peer.full.reset();
}

/// One that was silent, or cannot be watched, or could not be told.
void Discovery::Loop::look_after(PeerLink& peer, SteadyTime time) {
  if (!process_lives(domain_, peer.process)) {
    bury(peer);
    return;
  }
  peer.patience = std::min(2 * peer.patience, PeerLink::kLongestPatience);
  peer.retry = time + peer.patience;
  if (peer.identified && !peer.pidfd) watch(peer);
  if (peer.view.complete()) {
    if (peer.pidfd) peer.retry = kNever;
  } else if (!peer.full) {
    peer.ask = true;
    ++counters_.asked_again;
  }
}

void Discovery::Loop::look_after_all() {
  const auto time = telling_time();
  for (auto it = peers_.begin(); it != peers_.end();) {
    auto& peer = (it++)->second;
    if (peer.retry <= time) look_after(peer, time);
  }
}

void Discovery::Loop::tell_all() {
  for (auto it = peers_.begin(); it != peers_.end();) {
    auto& peer = (it++)->second;
    if (!peer.full) tell(peer);
  }
}

void Discovery::Loop::tell(PeerLink& peer) {
  std::optional<DiscoveryOutlet> outlet;
  bool more = true;
  while (more) {
    switch (tell_next(peer, outlet, more)) {
      case Sent::sent:
        break;
      case Sent::full:
        wait_for_room(peer, std::move(*outlet));
        return;
      case Sent::refused:
        handle_refusal(peer);
        return;
      case Sent::failed:
        ++counters_.not_sent;
        peer.look_after(telling_time());
        return;
    }
  }
}

/// `more` becomes false when there is nothing (more) to tell.
Sent Discovery::Loop::tell_next(PeerLink& peer, std::optional<DiscoveryOutlet>& outlet, bool& more) {
  auto told = peer.told;
  std::optional<std::vector<std::byte>> datagram;
  {
    const std::lock_guard lock(mutex_);
    datagram = log_.next(told, peer.ask);
  }
  more = datagram.has_value();
  if (!more) return Sent::sent;
  if (!outlet) outlet.emplace(peer.inbox);
  const auto outcome = outlet->send(*datagram);
  if (outcome != Sent::sent) return outcome;
  ++counters_.sent;
  peer.told = told;
  if (std::exchange(peer.ask, false)) peer.look_after(telling_time());
  return outcome;
}

void Discovery::Loop::wait_for_room(PeerLink& peer, DiscoveryOutlet outlet) {
  ++counters_.inbox_full;
  epoll_event event{};
  event.events = EPOLLOUT;
  event.data.u64 = peer.room_tag();
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, outlet.fd(), &event) == 0) {
    peer.full = std::move(outlet);
  } else {
    peer.look_after(telling_time());
  }
}

/// Nobody reads there: it died, or has left without our hearing of it, or its socket is just being made.
void Discovery::Loop::handle_refusal(PeerLink& peer) {
  if (!process_lives(domain_, peer.process)) {
    bury(peer);
  } else if (::access(peer.inbox.c_str(), F_OK) != 0) {
    part(peer, Departure::left);
  } else {
    peer.told = {};
    peer.ask = true;
    peer.look_after(telling_time());
  }
}

}  // namespace takt::shm

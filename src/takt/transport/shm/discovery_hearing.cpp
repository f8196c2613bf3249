// SPDX-License-Identifier: Apache-2.0
// What discovery's thread does with a datagram.
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>
#include <variant>

#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/discovery_loop.hpp"

namespace takt::shm {
namespace {

constexpr int kDatagramsAtOnce = 256;  // then the others get their turn

SteadyTime hearing_time() { return SteadyClock::instance()->steady_now(); }

Descriptor open_pidfd(pid_t pid) {
  return Descriptor(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1);
}

}  // namespace

void Discovery::Loop::receive_all() {
  for (int i = 0; i < kDatagramsAtOnce; ++i) {
    const auto datagram = inbox_.receive();
    if (datagram.what == DiscoveryInbox::Received::nothing) return;
    ++counters_.received;
    if (datagram.what == DiscoveryInbox::Received::unusable) {
      not_understood("it is too long or has no sender", counters_.malformed);
    } else if (datagram.uid != ::geteuid()) {
      not_understood("it comes from user " + std::to_string(datagram.uid), counters_.other_user);
    } else {
      auto decoded = decode(datagram.bytes);
      if (const auto* bad = std::get_if<Malformed>(&decoded)) {
        not_understood("malformed: " + bad->what, counters_.malformed);
      } else if (const auto* other = std::get_if<OtherVersion>(&decoded)) {
        not_understood("process " + other->process + " (pid " + std::to_string(datagram.pid) +
                           ") speaks version " + std::to_string(other->version) + " of it, this one " +
                           std::to_string(kAnnouncementVersion),
                       counters_.other_version);
      } else {
        hear(std::move(std::get<Announcement>(decoded)), datagram.pid);
      }
    }
  }
}

void Discovery::Loop::not_understood(const std::string& what, Counter& counter) {
  ++counter;
  if (!complaints_.due(hearing_time())) return;
  log::write(log::Level::warn, "discovery",
             "an announcement was not taken ({} others since the last such line): {}",
             complaints_.take_suppressed(), what);
}

void Discovery::Loop::hear(Announcement announcement, pid_t pid) {
  auto found = peers_.find(announcement.process);
  if (found == peers_.end()) {
    const bool farewell = announcement.kind == Announcement::Kind::farewell;
    if (announcement.process == process_ || inbox_of(domain_, announcement.process).empty()) {
      not_understood("it has the process name " + announcement.process, counters_.wrong_process);
      return;
    }
    if (farewell || !process_lives(domain_, announcement.process)) {
      ++counters_.late;
      return;
    }
    meet(announcement.process);
    found = peers_.find(announcement.process);
  }
  auto& peer = found->second;
  if (!identify(peer, pid)) return;
  if (announcement.kind == Announcement::Kind::update) {
    hear_update(peer, announcement);
  } else if (announcement.session == peer.view.session() || peer.view.session() == 0) {
    part(peer, Departure::left);
  }
}

/// The kernel tells who sent a datagram, so nobody speaks for another process.
bool Discovery::Loop::identify(PeerLink& peer, pid_t pid) {
  if (peer.identified) {
    if (pid == peer.pid) return true;
    not_understood(
        "process " + std::to_string(pid) + " sent it in the name of process " + std::to_string(peer.pid),
        counters_.wrong_process);
    return false;
  }
  peer.identified = true;
  peer.pid = pid;
  watch(peer);
  // It lives after its descriptor was opened, so that is no later process's which got the same number.
  if (process_lives(domain_, peer.process)) return true;
  bury(peer);
  return false;
}

void Discovery::Loop::watch(PeerLink& peer) {
  auto pidfd = open_pidfd(peer.pid);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = peer.death_tag();
  if (pidfd && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, pidfd.get(), &event) == 0) {
    peer.pidfd = std::move(pidfd);
  } else {
    peer.look_after(hearing_time());
  }
}

void Discovery::Loop::hear_update(PeerLink& peer, Announcement& update) {
  if (peer.pid != 0) {
    for (auto& change : update.changes) change.endpoint.pid = change.added ? peer.pid : 0;
  }
  if (update.ask || (peer.view.session() != 0 && peer.view.session() != update.session)) peer.told = {};
  PeerView::News news;
  {
    const std::lock_guard lock(mutex_);
    news = peer.view.apply(update);
  }
  counters_.beyond_limit += news.beyond_limit;
  if (news.gap && peer.retry == kNever) {
    ++counters_.asked_again;
    peer.ask = true;
  }
  note_progress(peer, news.gap);
  for (auto& endpoint : news.gone) {
    news_.emplace_back([this, endpoint = std::move(endpoint)] {
      if (owner_.on_gone) owner_.on_gone(endpoint, Departure::left);
    });
  }
  for (auto& endpoint : news.appeared) {
    news_.emplace_back([this, endpoint = std::move(endpoint)] {
      if (owner_.on_appeared) owner_.on_appeared(endpoint);
    });
  }
}

/// A state of many datagrams takes its time: as long as it goes on coming, nothing is asked for again.
void Discovery::Loop::note_progress(PeerLink& peer, bool gap) {
  if (!peer.view.complete()) {
    if (!gap) peer.retry = kNever;
    peer.look_after(hearing_time());
    return;
  }
  peer.patience = PeerLink::kFirstPatience;
  if (peer.pidfd) peer.retry = kNever;
}

}  // namespace takt::shm

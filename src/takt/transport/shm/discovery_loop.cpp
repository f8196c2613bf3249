// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/discovery_loop.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <limits>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/fork.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/scheduling.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/core/unnamed_file.hpp"

namespace takt::shm {
namespace {

// What epoll reports, beside the peers' tags, which are above.
constexpr std::uint64_t kInboxTag = 0;
constexpr std::uint64_t kAlarmTag = 1;

SteadyTime loop_time() { return SteadyClock::instance()->steady_now(); }

std::uint64_t random_number() { return Domain::id_of("random", Domain::random_name("random")); }

std::filesystem::path own_inbox(const Domain& domain, const Lease& lease) {
  auto path = inbox_of(domain, lease.path().filename().string());
  TAKT_CHECK(!path.empty());
  return path;
}

void watch_fd(int epoll, int fd, std::uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) throw_system_error("epoll", errno);
}

/// An ordinary thread, also when its maker is not.
void become_ordinary() {
  ThreadOptions options;
  options.name = "takt-discovery";
  options.required = false;
  if (is_real_time(this_thread_state().scheduling)) options.scheduling = Other{};
  apply_to_this_thread(options);
}

}  // namespace

Discovery::Loop::Loop(Domain domain, const Lease& lease, DiscoveryOwner owner)
    : domain_(std::move(domain)),
      owner_(std::move(owner)),
      process_(lease.path().filename().string()),
      fork_generation_(ForkGuard::generation()),
      inbox_(own_inbox(domain_, lease)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      alarm_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      log_(process_, ::getpid(), random_number()) {
  if (!epoll_ || !alarm_) throw_system_error("cannot watch for other processes", errno);
  watch_fd(epoll_.get(), inbox_.fd(), kInboxTag);
  watch_fd(epoll_.get(), alarm_.get(), kAlarmTag);
  // The inbox is open already: of two who come at the same time, at least one finds the other.
  start_thread(list_folder(domain_));
}

Discovery::Loop::~Loop() {
  TAKT_CHECK(std::this_thread::get_id() != thread_.get_id());
  stop_.store(true);
  wake();
  thread_.join();
}

bool Discovery::Loop::is_own() const noexcept { return fork_generation_ == ForkGuard::generation(); }

void Discovery::Loop::abandon(std::unique_ptr<Loop> loop) noexcept {
  static std::atomic<Loop*> last{nullptr};
  auto* const kept = loop.release();
  kept->abandoned_before_ = last.exchange(kept);
}

/// Signals are for the threads that the program knows.
void Discovery::Loop::start_thread(FolderListing found) {
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this, found = std::move(found)] { run(found); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Discovery::Loop::wake() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(::write(alarm_.get(), &one, sizeof one) < 0);  // full: it rings already
}

EndpointId Discovery::Loop::add(Endpoint endpoint) {
  TAKT_CHECK(is_own());
  EndpointId id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = log_.add(std::move(endpoint)).id;
  }
  wake();
  return id;
}

bool Discovery::Loop::remove(EndpointId id) {
  TAKT_CHECK(is_own());
  {
    const std::lock_guard lock(mutex_);
    if (!log_.remove(id)) return false;
  }
  wake();
  return true;
}

std::vector<Endpoint> Discovery::Loop::snapshot() const {
  const std::lock_guard lock(mutex_);
  auto endpoints = log_.all();
  for (const auto& [process, peer] : peers_) {
    for (const auto& [id, endpoint] : peer.view.endpoints()) endpoints.push_back(endpoint);
  }
  return endpoints;
}

std::size_t Discovery::Loop::peers() const {
  const std::lock_guard lock(mutex_);
  return peers_.size();
}

bool Discovery::Loop::wait_until_complete(Duration patience) const {
  auto& clock = *SteadyClock::instance();
  const auto deadline = clock.steady_now() + patience;
  while (complete_.load() == 0) {
    if (clock.wait(complete_, 0, deadline) == WaitResult::timed_out) return complete_.load() != 0;
  }
  return true;
}

DiscoveryCounters Discovery::Loop::counters() const noexcept {
  const auto& c = counters_;
  return {c.sent,         c.not_sent,      c.received,    c.inbox_full,    c.asked_again,
          c.malformed,    c.other_version, c.other_user,  c.wrong_process, c.late,
          c.beyond_limit, c.reclaimed,     c.owner_errors};
}

void Discovery::Loop::run(const FolderListing& found) {
  become_ordinary();
  introduce(found);
  while (!stop_.load()) {
    tell_all();
    report();
    set_complete();
    wait_and_handle();
    look_after_all();
    clear_leftovers();
  }
  say_farewell();
}

void Discovery::Loop::introduce(const FolderListing& found) {
  for (const auto& process : found.living) {
    if (process != process_) meet(process).ask = true;
  }
  tell_all();
  clear_away(found.dead, {});
}

int Discovery::Loop::timeout_ms() const {
  auto next = kNever;
  for (const auto& [process, peer] : peers_) next = std::min(next, peer.retry);
  for (const auto& [process, leftover] : leftovers_) next = std::min(next, leftover.again);
  if (next == kNever) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - loop_time()).count();
  return static_cast<int>(std::clamp<std::int64_t>(wait, 0, 60'000));
}

void Discovery::Loop::wait_and_handle() {
  std::array<epoll_event, 32> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms());
  for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)].data.u64);
}

void Discovery::Loop::handle(std::uint64_t tag) {
  if (tag == kInboxTag) {
    receive_all();
  } else if (tag == kAlarmTag) {
    std::uint64_t rings = 0;
    static_cast<void>(::read(alarm_.get(), &rings, sizeof rings) < 0);
  } else if (auto* peer = find(tag / 2)) {  // not one that an earlier event of this round has parted from
    tag == peer->death_tag() ? bury(*peer) : go_on_telling(*peer);
  }
}

void Discovery::Loop::call(const std::function<void()>& function) noexcept {
  const auto complain = [this](const char* what) {
    ++counters_.owner_errors;
    if (complaints_.due(loop_time()))
      log::write(log::Level::error, "discovery", "a function of the owner threw: {}", what);
  };
  try {
    function();
  } catch (const std::exception& e) {
    complain(e.what());
  } catch (...) {
    complain("something that is no std::exception");
  }
}

void Discovery::Loop::report() {
  for (const auto& one : std::exchange(news_, {})) call(one);
}

void Discovery::Loop::set_complete() {
  const bool complete =
      std::ranges::all_of(peers_, [](const auto& entry) { return entry.second.view.complete(); });
  complete_.store(complete ? 1 : 0);
  if (complete) futex::wake_all(complete_);
}

/// A full inbox is waited for, since otherwise a process that goes on without discovery would be known for
/// ever.
void Discovery::Loop::say_farewell() {
  const auto farewell = log_.farewell();
  const auto deadline = loop_time() + kFarewell;
  std::vector<std::pair<DiscoveryOutlet, const PeerLink*>> full;
  const auto say = [&](DiscoveryOutlet outlet, const PeerLink* peer) {
    const auto outcome = outlet.send(farewell);
    if (outcome == Sent::sent) ++counters_.sent;
    if (outcome == Sent::full) full.emplace_back(std::move(outlet), peer);
  };
  for (const auto& [process, peer] : peers_) say(DiscoveryOutlet(peer.inbox), &peer);
  while (!full.empty() && loop_time() < deadline) {
    std::vector<pollfd> waiting;
    for (const auto& [outlet, peer] : full) waiting.push_back({outlet.fd(), POLLOUT, 0});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - loop_time()).count();
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(std::max<std::int64_t>(left, 0))) <= 0) break;
    for (auto& [outlet, peer] : std::exchange(full, {})) say(std::move(outlet), peer);
  }
  counters_.inbox_full += full.size();
}

}  // namespace takt::shm

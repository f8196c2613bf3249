// SPDX-License-Identifier: Apache-2.0
#include "takt/core/house.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/futex.hpp"
#include "takt/core/log.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt {
namespace {

/// Runs the task; what it throws is logged, at most once a second and task.
bool run_and_report(const House::Task& task, log::Every& complaints) noexcept {
  const auto complain = [&](const char* what) {
    if (!complaints.due(SteadyClock::instance()->steady_now())) return;
    log::write(log::Level::error, "house", "a task threw: {} ({} more since the last such line)", what,
               complaints.take_suppressed());
  };
  try {
    return task();
  } catch (const std::exception& e) {
    complain(e.what());
  } catch (...) {
    complain("something that is no std::exception");
  }
  return false;
}

}  // namespace

struct House::Entry {
  Task task;
  bool removed = false;  // guarded by running
  std::mutex running;    // held while the task runs
  std::atomic<std::thread::id> runner{};
  log::Every complaints{std::chrono::seconds{1}};
};

struct House::Tasks {
  std::mutex mutex;  // guards entries; never held while a task runs
  std::vector<std::shared_ptr<Entry>> entries;
};

House::House() : tasks_(std::make_shared<Tasks>()), thread_([this] { loop(); }) {}

House::~House() {
  TAKT_CHECK(std::this_thread::get_id() != thread_.get_id());
  stop_.store(true);
  wake();
  thread_.join();
}

std::unique_ptr<House::Registration> House::add(Task task) {
  auto entry = std::make_shared<Entry>();
  entry->task = std::move(task);
  {
    const std::lock_guard lock(tasks_->mutex);
    tasks_->entries.push_back(entry);
  }
  stir();
  return std::make_unique<Registration>(tasks_, std::move(entry));
}

// Either this sees deep_ or the thread, which sets deep_ first, sees work_: all four accesses are
// sequentially consistent.
void House::announce() noexcept {
  work_.store(true);
  if (deep_.load() && deep_.exchange(false)) wake();
}

void House::hurry() noexcept {
  work_.store(true);
  wake();
}

void House::wake() noexcept {
  bell_.fetch_add(1);
  futex::wake_all(bell_);
}

void House::loop() {
  pthread_setname_np(pthread_self(), "takt-house");
  auto& clock = *SteadyClock::instance();
  bool quiet = false;  // the last round found nothing: only a second such round in a row leads to deep sleep
  while (!stop_.load()) {
    const auto bell = bell_.load();
    work_.exchange(false);  // an exchange, so that this round sees what the stirrer wrote before
    const bool busy = run_round();
    rounds_.fetch_add(1, std::memory_order_relaxed);
    if (stop_.load()) break;
    if (!busy && std::exchange(quiet, true)) {
      deep_.store(true);
      if (!work_.load()) clock.wait(bell_, bell, kNever);
      if (deep_.exchange(false) || bell_.load() == bell) {
        // Nobody woke the deep sleeper: work came before it fell asleep, and waits for the next round as any
        // other.
        clock.wait(bell_, bell, clock.steady_now() + kRound);
      }
      quiet = false;
      continue;
    }
    if (busy) quiet = false;
    clock.wait(bell_, bell, clock.steady_now() + kRound);
  }
  ended_.store(1);
  futex::wake_all(ended_);
}

bool House::run_round() {
  std::vector<std::shared_ptr<Entry>> entries;
  {
    const std::lock_guard lock(tasks_->mutex);
    entries = tasks_->entries;
  }
  bool busy = false;
  for (const auto& entry : entries) {
    const std::lock_guard running(entry->running);
    if (entry->removed) continue;
    entry->runner.store(std::this_thread::get_id());
    busy = run_and_report(entry->task, entry->complaints) || busy;
    entry->runner.store(std::thread::id{});
    if (entry->removed) entry->task = nullptr;  // it removed itself: what it holds can go now
  }
  return busy;
}

void House::run_now() { run_round(); }

void House::stop_within(Duration patience) noexcept {
  if (std::this_thread::get_id() == thread_.get_id()) return;
  stop_.store(true);
  wake();
  const auto deadline = SteadyClock::instance()->steady_now() + patience;
  while (ended_.load() == 0 && futex::wait(ended_, 0, deadline) == WaitResult::woken) {
  }
  if (ended_.load() != 0 && thread_.joinable()) thread_.join();
}

House& House::of_process() {
  static House& house = []() -> House& {
    static House& own = *new House;
    static const auto owner = getpid();
    // A task must not meet static objects that are destroyed already. In a forked child there is no thread to
    // wait for; a task that does not end must not keep the process from ending.
    std::atexit([] {
      if (getpid() == owner) own.stop_within(std::chrono::seconds{1});
    });
    return own;
  }();
  return house;
}

House::Registration::Registration(std::shared_ptr<Tasks> tasks, std::shared_ptr<Entry> entry)
    : tasks_(std::move(tasks)), entry_(std::move(entry)) {}

House::Registration::~Registration() {
  {
    const std::lock_guard lock(tasks_->mutex);
    std::erase(tasks_->entries, entry_);
  }
  if (entry_->runner.load() == std::this_thread::get_id()) {
    entry_->removed = true;  // called from the task itself, which holds `running`
    return;
  }
  const std::lock_guard running(entry_->running);
  entry_->removed = true;
  entry_->task = nullptr;
}

}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/spin.hpp"

#include <unistd.h>

#include "takt/core/error.hpp"
#include "takt/graph/context.hpp"

namespace takt {

namespace {
constexpr std::size_t kStackToTouch = std::size_t{256} * 1024;  // of a worker whose memory is locked
constexpr Duration kFutureRound = std::chrono::milliseconds{5};
}  // namespace

/// Exclusive for its lifetime; tells the context, so that the last one out prints the verdicts.
class Spin::Session {
 public:
  explicit Session(ExecutorCore& core) : core_(core) {
    if (core_.called_from_worker() || core_.spinning.exchange(true)) {
      throw SetupError("executor " + core_.options().name + " is spinning already",
                       "spin it once at a time, not from its own callbacks");
    }
    core_.clear_failure();
    core_.context().executor_started();
  }
  ~Session() {
    core_.clear_stop();
    core_.spinning.store(false);
    core_.context().executor_stopped();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  ExecutorCore& core_;
};

ThreadOptions thread_options_of(const ExecutorOptions& options) {
  ThreadOptions thread;
  thread.scheduling = options.scheduling;
  thread.cpus = options.cpus;
  thread.lock_memory = options.lock_memory;
  thread.prefault_stack = options.lock_memory ? kStackToTouch : 0;
  thread.required = options.required;
  return thread;
}

SetupError no_thread_left(const std::string& whose, const std::system_error& error) {
  return SetupError("a thread of " + whose + " cannot be started: " + error.what(),
                    "allow more processes and threads (ulimit -u, pids.max of the control group)");
}

ThreadOptions Spin::thread_options(std::size_t index) const {
  auto thread = thread_options_of(options_);
  // The main thread's name is the program's in ps and killall: it stays.
  const bool main_thread = index == 0 && ::gettid() == ::getpid();
  if (!main_thread) thread.name = index == 0 ? options_.name : options_.name + "/" + std::to_string(index);
  return thread;
}

void Spin::keep_granted(std::size_t index, const ThreadState& state) {
  const std::lock_guard lock(granted_mutex_);
  if (granted_.size() <= index) granted_.resize(index + 1);
  granted_[index] = state;
}

std::vector<ThreadState> Spin::granted() const {
  const std::lock_guard lock(granted_mutex_);
  return granted_;
}

void Spin::loop(Worker& worker) {
  while (!core_.stopping()) {
    const auto bell = core_.bell();
    if (!core_.run_one(worker, nullptr) && !core_.stopping()) core_.wait(worker, bell, kNever);
  }
}

/// One worker thread: scheduling, recorder, loop.
void Spin::work(std::size_t index) {
  const auto asked = thread_options(index);
  const auto state = apply_to_this_thread(asked);
  keep_granted(index, state);
  timing::Recorder recorder(core_.context().monitor(), asked, state, options_.name);
  WorkerScope scope(core_, recorder, index);
  loop(scope.worker());
}

/// False: the kernel has no thread left, and spin() ends with what says so.
bool Spin::start_thread(const std::function<void()>& start) {
  try {
    start();
    return true;
  } catch (const std::system_error& error) {
    core_.fail(std::make_exception_ptr(no_thread_left("executor " + options_.name, error)), {});
    return false;
  }
}

void Spin::run(const std::vector<Executor*>& children) {
  {
    const Session session(core_);
    const ThreadStateGuard callers_state;
    {
      const std::lock_guard lock(granted_mutex_);
      granted_.clear();
    }
    core_.spin_begins(false);
    {
      const std::lock_guard lock(children_mutex_);
      accepting_ = true;
    }
    for (Executor* child : children) start_child(*child);
    std::vector<std::thread> workers;
    const auto guarded = [this](std::size_t index) {
      try {
        work(index);
      } catch (...) {  // set-up of the thread was refused: callbacks' exceptions do not come this way
        core_.fail(std::current_exception(), {});
      }
    };
    for (std::size_t i = 1; i < options_.threads; ++i) {
      if (!start_thread([&] { workers.emplace_back(guarded, i); })) break;
    }
    guarded(0);
    core_.ring_all();
    for (auto& worker : workers) worker.join();
    std::vector<Child> spun;
    {
      const std::lock_guard lock(children_mutex_);
      accepting_ = false;
      spun.swap(children_);
    }
    for (auto& child : spun) child.executor->cancel();
    for (auto& child : spun) child.thread.join();
    for (auto& child : spun) child.executor->core_.clear_stop();
  }
  core_.rethrow_failure();
}

void Spin::start_child(Executor& child) {
  const std::lock_guard lock(children_mutex_);
  if (!accepting_) return;
  start_thread([&] {
    children_.push_back({&child, std::thread([this, &child] {
                           try {
                             child.spin();
                           } catch (...) {
                             core_.fail(std::current_exception(), child.failed_callback());
                           }
                         })});
  });
}

timing::Recorder& Spin::callers_recorder() {
  if (!recorder_ || recorder_thread_ != std::this_thread::get_id()) {
    recorder_ = std::make_unique<timing::Recorder>(core_.context().monitor(), ThreadOptions{},
                                                   this_thread_state(), options_.name);
    recorder_thread_ = std::this_thread::get_id();
  }
  return *recorder_;
}

void Spin::some(Duration max_duration, bool exhaustive) {
  {
    const Session session(core_);
    core_.spin_begins(true);
    WorkerScope scope(core_, callers_recorder(), 0);
    const auto start = core_.clock().steady_now();
    const auto in_time = [&] {
      return !core_.stopping() &&
             (max_duration == Duration::zero() || core_.clock().steady_now() - start < max_duration);
    };
    bool again = true;
    while (again && in_time()) {
      core_.hear_other_processes();
      core_.ready().release_due(core_.clock().steady_now());
      auto snapshot = core_.ready().snapshot();  // what becomes ready later waits for the next round
      again = false;
      while (in_time() && core_.run_one(scope.worker(), &snapshot)) again = exhaustive;
    }
  }
  core_.rethrow_failure();
}

void Spin::once(Duration timeout) {
  {
    const Session session(core_);
    core_.spin_begins(true);
    WorkerScope scope(core_, callers_recorder(), 0);
    const auto limit = timeout < Duration::zero() ? kNever : core_.clock().steady_now() + timeout;
    while (!core_.stopping()) {
      const auto bell = core_.bell();
      if (core_.run_one(scope.worker(), nullptr) || core_.clock().steady_now() >= limit) break;
      core_.wait(scope.worker(), bell, limit);
    }
  }
  core_.rethrow_failure();
}

FutureReturnCode Spin::until(const std::function<bool()>& done, Duration timeout) {
  auto result = FutureReturnCode::INTERRUPTED;
  {
    const Session session(core_);
    core_.spin_begins(true);
    WorkerScope scope(core_, callers_recorder(), 0);
    const auto limit = timeout < Duration::zero() ? kNever : core_.clock().steady_now() + timeout;
    for (;;) {
      const auto bell = core_.bell();
      if (done()) {
        result = FutureReturnCode::SUCCESS;
        break;
      }
      if (core_.stopping()) break;
      const auto now = core_.clock().steady_now();
      if (now >= limit) {
        result = FutureReturnCode::TIMEOUT;
        break;
      }
      if (!core_.run_one(scope.worker(), nullptr))
        core_.wait(scope.worker(), bell, std::min(limit, now + kFutureRound));
    }
  }
  core_.rethrow_failure();
  return result;
}

}  // namespace takt

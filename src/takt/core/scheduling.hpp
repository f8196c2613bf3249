// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "takt/core/time.hpp"

namespace takt {

/// What a thread without a real-time policy is to the kernel: SCHED_OTHER, SCHED_BATCH, SCHED_IDLE or
/// SCHED_EXT.
enum class Share : std::uint8_t { normal, batch, idle, extension };

/// SCHED_OTHER with a nice value (-20 .. 19).
struct Other {
  int nice = 0;
  Share share = Share::normal;
};
/// SCHED_FIFO, priority 1 .. 98 (99 starves the kernel's watchdogs: refused unless `force`).
struct Fifo {
  int priority = 80;
  bool force = false;
};
/// SCHED_RR, priority as Fifo.
struct RoundRobin {
  int priority = 80;
  bool force = false;
};
/// SCHED_DEADLINE: `runtime` of CPU in every `period`, by `deadline`. Not with a CPU affinity.
struct DeadlineScheduling {
  Duration runtime{};
  Duration deadline{};
  Duration period{};
};
/// Keep what the thread has.
struct Inherit {};

using Scheduling = std::variant<Inherit, Other, Fifo, RoundRobin, DeadlineScheduling>;

/// "FIFO 80", "OTHER", "OTHER nice 5", "BATCH", "IDLE", "RR 10", "DEADLINE 2 ms / 10 ms / 10 ms", "as it
/// was".
std::string to_string(const Scheduling& scheduling);
bool is_real_time(const Scheduling& scheduling) noexcept;
/// 1 to 99 of SCHED_FIFO and SCHED_RR, 100 of SCHED_DEADLINE, which comes before them; 0 of all others.
int priority_of(const Scheduling& scheduling) noexcept;

/// What is asked for a thread. `required`: a refusal throws; otherwise the thread goes on and the refusal is
/// in the result.
struct ThreadOptions {
  std::string name;          ///< at most 15 characters are shown by the kernel
  Scheduling scheduling;     ///< default: as it was
  std::vector<int> cpus;     ///< empty: as it was
  bool lock_memory = false;  ///< mlockall(current, future, on fault) and a heap that is never given back
  std::size_t prefault_stack = 0;  ///< bytes of stack to touch
  std::optional<Duration>
      timer_slack{};  ///< how late waits may end without a real-time policy; at least 1 ns
  bool required = true;
};

/// What the kernel really granted, read back in the thread itself.
struct ThreadState {
  std::string name;
  Scheduling scheduling;
  std::vector<int> cpus;
  bool memory_locked = false;
  Duration timer_slack{};
  std::vector<std::string> refused;  ///< each refusal: what, why, how to mend it (empty: all granted)
};

/// Applies the options to the calling thread and reads the result back. RESET_ON_FORK is set with a real-time
/// policy, so that threads made later do not inherit it. Under a sanitizer memory locking is skipped (it does
/// nothing there). Errors: SetupError with the fix when something is refused and `required`; always for
/// values that no kernel accepts (priority out of 1..98, a CPU that does not exist, DEADLINE with cpus).
ThreadState apply_to_this_thread(const ThreadOptions& options);

/// Reads policy, CPUs, name and memory locking of the calling thread.
ThreadState this_thread_state();

/// Keeps the calling thread's policy, nice value, CPUs, timer slack and name at construction and puts them
/// back at destruction (same thread).
class ThreadStateGuard {
 public:
  ThreadStateGuard();
  ~ThreadStateGuard();
  ThreadStateGuard(const ThreadStateGuard&) = delete;
  ThreadStateGuard& operator=(const ThreadStateGuard&) = delete;

 private:
  struct Saved;
  std::unique_ptr<Saved> saved_;
};

/// Whether this process may use SCHED_FIFO; if not, `fix` says what to change (limits, capability, cgroup
/// rt_runtime).
struct RealTimePermission {
  bool granted = false;
  std::string fix;
};
/// Tries it on a short-lived thread. Errors: SetupError when the priority is out of 1 .. 98.
RealTimePermission real_time_permission(int priority = 80);

}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#include "takt/core/scheduling.hpp"

#include <alloca.h>
#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "takt/core/cpu_list.hpp"
#include "takt/core/error.hpp"
#include "takt/core/scheduling_refusal.hpp"
#include "takt/core/scheduling_system.hpp"

namespace takt {
namespace {

using system::calls;
using system::CpuMask;
using system::Refusal;
using system::SchedAttr;

#if defined(TAKT_ASAN) || defined(TAKT_TSAN) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizer = true;
#else
constexpr bool kSanitizer = false;
#endif

constexpr std::uint32_t kPolicyExtension = 7;  // SCHED_EXT, newer than this C library
constexpr std::uint32_t kPolicyDeadline = 6;   // SCHED_DEADLINE
constexpr int kHighestPriority = 98;
constexpr Duration kLeastRuntime{1024};  // sched(7)

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// --- Scheduling <-> the kernel's attributes

std::uint32_t policy_of(Share share) {
  switch (share) {
    case Share::normal:
      break;
    case Share::batch:
      return SCHED_BATCH;
    case Share::idle:
      return SCHED_IDLE;
    case Share::extension:
      return kPolicyExtension;
  }
  return SCHED_OTHER;
}

std::uint64_t ns(Duration d) { return static_cast<std::uint64_t>(d.count()); }
Duration from_ns(std::uint64_t n) { return Duration{static_cast<std::int64_t>(n)}; }

SchedAttr to_attr(const Scheduling& scheduling) {
  SchedAttr attr;
  std::visit(Overloaded{
                 [](const Inherit&) {},
                 [&](const Other& o) {
                   attr.policy = policy_of(o.share);
                   attr.nice = o.nice;
                 },
                 [&](const Fifo& f) {
                   attr.policy = SCHED_FIFO;
                   attr.priority = static_cast<std::uint32_t>(f.priority);
                 },
                 [&](const RoundRobin& r) {
                   attr.policy = SCHED_RR;
                   attr.priority = static_cast<std::uint32_t>(r.priority);
                 },
                 [&](const DeadlineScheduling& d) {
                   attr.policy = kPolicyDeadline;
                   attr.runtime = ns(d.runtime);
                   attr.deadline = ns(d.deadline);
                   attr.period = ns(d.period);
                 },
             },
             scheduling);
  if (is_real_time(scheduling)) attr.flags = system::kResetOnFork;
  return attr;
}

Scheduling from_attr(const SchedAttr& attr) {
  const auto priority = static_cast<int>(attr.priority);
  switch (attr.policy) {
    case SCHED_FIFO:
      return Fifo{priority};
    case SCHED_RR:
      return RoundRobin{priority};
    case kPolicyDeadline:
      return DeadlineScheduling{from_ns(attr.runtime), from_ns(attr.deadline), from_ns(attr.period)};
    case SCHED_BATCH:
      return Other{attr.nice, Share::batch};
    case SCHED_IDLE:
      return Other{attr.nice, Share::idle};
    case kPolicyExtension:
      return Other{attr.nice, Share::extension};
    default:
      return Other{attr.nice};
  }
}

SchedAttr read_attr() {
  SchedAttr attr;
  calls().get_attr(attr);
  attr.size = sizeof attr;
  return attr;
}

/// Without privilege the reset-on-fork flag can be set but never cleared: then it stays.
int set_attr(SchedAttr attr) {
  const int error = calls().set_attr(attr);
  const bool flag_lost =
      (attr.flags & system::kResetOnFork) == 0 && (read_attr().flags & system::kResetOnFork) != 0;
  if (error != EPERM || !flag_lost) return error;
  attr.flags |= system::kResetOnFork;
  return calls().set_attr(attr);
}

// --- CPUs

constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;
constexpr int kMostCpus = static_cast<int>(std::tuple_size_v<CpuMask> * kWordBits);

CpuMask to_mask(const std::vector<int>& cpus) {
  CpuMask mask{};
  for (const int cpu : cpus) {
    const auto bit = static_cast<std::size_t>(cpu);
    mask[bit / kWordBits] |= 1UL << (bit % kWordBits);
  }
  return mask;
}

std::vector<int> from_mask(const CpuMask& mask) {
  std::vector<int> cpus;
  for (std::size_t bit = 0; bit < mask.size() * kWordBits; ++bit) {
    if (((mask[bit / kWordBits] >> (bit % kWordBits)) & 1UL) != 0) cpus.push_back(static_cast<int>(bit));
  }
  return cpus;
}

std::vector<int> read_cpus() {
  CpuMask mask{};
  return calls().get_affinity(mask) == 0 ? from_mask(mask) : std::vector<int>{};
}

// --- Name, timer slack, memory

std::string read_name() {
  std::array<char, 16> name{};
  ::prctl(PR_GET_NAME, name.data());
  return name.data();
}

void set_name(const std::string& name) { ::prctl(PR_SET_NAME, name.substr(0, 15).c_str()); }

Duration read_timer_slack() { return Duration{::prctl(PR_GET_TIMERSLACK)}; }

void set_timer_slack(Duration slack) {
  ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack.count()));
}

bool memory_is_locked() {
  constexpr std::string_view key = "VmLck:";
  const auto status = calls().read_file("/proc/self/status");
  const auto at = status.find(key);
  return at != std::string::npos && std::strtol(status.c_str() + at + key.size(), nullptr, 10) > 0;
}

std::optional<Refusal> lock_memory() {
  if (kSanitizer) return std::nullopt;  // it does nothing there, and the state says so
  if (const int error = calls().lock_memory(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) {
    return system::explain_memory_lock(error);
  }
  // Memory that the heap gave back would have to be faulted in again.
  ::mallopt(M_TRIM_THRESHOLD, -1);  // NOLINT(concurrency-mt-unsafe): glibc takes its own lock
  ::mallopt(M_MMAP_MAX, 0);         // NOLINT(concurrency-mt-unsafe)
  if (!memory_is_locked()) return Refusal{"the memory was not locked (VmLck is 0)", "see mlockall(2)"};
  return std::nullopt;
}

[[gnu::noinline]] void touch_stack(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  auto* memory = static_cast<volatile char*>(alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += page) memory[i] = 0;
}

std::size_t stack_left() {
  pthread_attr_t attr;
  if (::pthread_getattr_np(pthread_self(), &attr) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0;
  ::pthread_attr_getstack(&attr, &lowest, &size);
  ::pthread_attr_destroy(&attr);
  // The frame's own address: a local variable may lie elsewhere under the address sanitizer.
  const auto left = static_cast<const char*>(__builtin_frame_address(0)) - static_cast<const char*>(lowest);
  return left > 0 ? static_cast<std::size_t>(left) : 0;
}

std::optional<Refusal> prefault_stack(std::size_t bytes) {
  constexpr std::size_t reserve = std::size_t{64} * 1024;  // for what runs below this frame
  const auto left = stack_left();
  if (bytes + reserve > left) {
    return Refusal{
        fmt::format("{} KiB of stack cannot be touched: {} KiB are left", bytes / 1024, left / 1024),
        "ask for less, or raise the stack limit (ulimit -s)"};
  }
  touch_stack(bytes);
  return std::nullopt;
}

// --- Checks of what no kernel accepts

void check_priority(const char* policy, int priority, bool force) {
  if (priority >= 1 && (priority <= kHighestPriority || (priority == kHighestPriority + 1 && force))) return;
  if (priority == kHighestPriority + 1) {
    throw SetupError(fmt::format("{} {} would starve the kernel's own watchdogs", policy, priority),
                     "use at most 98, or force it");
  }
  throw SetupError(fmt::format("{} {}: the priority is out of 1 .. {}", policy, priority, kHighestPriority),
                   "use a priority of 1 .. 98");
}

void check_nice(const Other& other) {
  if (other.nice >= -20 && other.nice <= 19) return;
  throw SetupError(fmt::format("{}: the nice value is out of -20 .. 19", to_string(other)),
                   "use a value of -20 .. 19");
}

void check_deadline(const DeadlineScheduling& d, bool with_cpus) {
  if (d.runtime < kLeastRuntime || d.deadline < d.runtime || d.period < d.deadline) {
    throw SetupError(fmt::format("{}: not 1024 ns <= runtime <= deadline <= period", to_string(d)),
                     "give a runtime of at most the deadline and a deadline of at most the period");
  }
  if (!with_cpus) return;
  throw SetupError(fmt::format("{} does not go together with a choice of CPUs", to_string(d)),
                   "leave the CPUs empty and use an exclusive cpuset");
}

void check_cpus(const std::vector<int>& cpus) {
  const auto online = parse_cpu_list(calls().read_file("/sys/devices/system/cpu/online"));
  for (const int cpu : cpus) {
    const bool exists = online.empty() || std::find(online.begin(), online.end(), cpu) != online.end();
    if (exists && cpu >= 0 && cpu < kMostCpus) continue;
    throw SetupError(fmt::format("CPU {} does not exist or is offline", cpu),
                     fmt::format("choose among those online: {}", to_cpu_list(online)));
  }
}

void check(const ThreadOptions& options) {
  std::visit(Overloaded{
                 [](const Inherit&) {},
                 [](const Other& o) { check_nice(o); },
                 [](const Fifo& f) { check_priority("SCHED_FIFO", f.priority, f.force); },
                 [](const RoundRobin& r) { check_priority("SCHED_RR", r.priority, r.force); },
                 [&](const DeadlineScheduling& d) { check_deadline(d, !options.cpus.empty()); },
             },
             options.scheduling);
  check_cpus(options.cpus);
  if (options.timer_slack && *options.timer_slack < Duration{1}) {
    throw SetupError(fmt::format("a timer slack of {} is not possible", to_string(*options.timer_slack)),
                     "use at least 1 ns");
  }
}

// --- Applying

std::optional<Refusal> set_cpus(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  const auto before = read_cpus();
  const int error = calls().set_affinity(to_mask(cpus));
  const auto granted = read_cpus();
  if (error == 0 && granted == cpus) return std::nullopt;
  if (error == EBUSY) {
    return Refusal{
        fmt::format("CPUs {} were refused (EBUSY): the thread is SCHED_DEADLINE", to_cpu_list(cpus)),
        "take the deadline policy off first, or use an exclusive cpuset"};
  }
  return Refusal{
      fmt::format("CPUs {} were refused: the thread's cpuset lets it run on {}", to_cpu_list(cpus),
                  to_cpu_list(error == 0 ? granted : before)),
      "choose among these, or widen the cpuset (container option --cpuset-cpus, systemd AllowedCPUs=)"};
}

std::optional<Refusal> set_scheduling(const Scheduling& asked) {
  if (const int error = set_attr(to_attr(asked))) return system::explain_policy(asked, error);
  const auto granted = from_attr(read_attr());
  if (granted.index() == asked.index()) return std::nullopt;
  return Refusal{
      fmt::format("{} was asked, but the thread runs with {}", to_string(asked), to_string(granted)),
      "look for a service that changes priorities"};
}

}  // namespace

std::string to_string(const Scheduling& scheduling) {
  constexpr std::array names{"OTHER", "BATCH", "IDLE", "EXT"};
  return std::visit(Overloaded{
                        [](const Inherit&) -> std::string { return "as it was"; },
                        [&](const Other& o) {
                          std::string text = names[static_cast<std::size_t>(o.share)];
                          return o.nice == 0 ? text : text + " nice " + std::to_string(o.nice);
                        },
                        [](const Fifo& f) { return "FIFO " + std::to_string(f.priority); },
                        [](const RoundRobin& r) { return "RR " + std::to_string(r.priority); },
                        [](const DeadlineScheduling& d) {
                          return "DEADLINE " + to_string(d.runtime) + " / " + to_string(d.deadline) + " / " +
                                 to_string(d.period);
                        },
                    },
                    scheduling);
}

bool is_real_time(const Scheduling& scheduling) noexcept {
  return std::holds_alternative<Fifo>(scheduling) || std::holds_alternative<RoundRobin>(scheduling) ||
         std::holds_alternative<DeadlineScheduling>(scheduling);
}

int priority_of(const Scheduling& scheduling) noexcept {
  if (const auto* fifo = std::get_if<Fifo>(&scheduling)) return fifo->priority;
  if (const auto* round_robin = std::get_if<RoundRobin>(&scheduling)) return round_robin->priority;
  return std::holds_alternative<DeadlineScheduling>(scheduling) ? 100 : 0;
}

ThreadState apply_to_this_thread(const ThreadOptions& options) {
  check(options);
  std::vector<std::string> refused;
  const auto note = [&](const std::optional<Refusal>& refusal) {
    if (!refusal) return;
    const auto name = options.name.empty() ? read_name() : options.name;
    const auto what = fmt::format("thread '{}': {}", name, refusal->what);
    if (options.required) throw SetupError(what, refusal->fix);
    refused.push_back(what + "; " + refusal->fix);
  };
  if (!options.name.empty()) set_name(options.name);
  if (options.lock_memory) note(lock_memory());
  if (options.prefault_stack != 0) note(prefault_stack(options.prefault_stack));
  if (!options.cpus.empty()) note(set_cpus(options.cpus));
  // The policy last, for all before it is ordinary work; the slack before it, because the kernel takes none
  // with a real-time policy.
  if (options.timer_slack) set_timer_slack(*options.timer_slack);
  if (!std::holds_alternative<Inherit>(options.scheduling)) note(set_scheduling(options.scheduling));
  auto state = this_thread_state();
  state.refused = std::move(refused);
  return state;
}

ThreadState this_thread_state() {
  ThreadState state;
  state.name = read_name();
  state.scheduling = from_attr(read_attr());
  state.cpus = read_cpus();
  state.memory_locked = memory_is_locked();
  state.timer_slack = read_timer_slack();
  return state;
}

struct ThreadStateGuard::Saved {
  SchedAttr attr;
  CpuMask cpus;
  std::string name;
  Duration timer_slack;
};

ThreadStateGuard::ThreadStateGuard() : saved_(new Saved{read_attr(), {}, read_name(), read_timer_slack()}) {
  calls().get_affinity(saved_->cpus);
}

ThreadStateGuard::~ThreadStateGuard() {
  set_attr(saved_->attr);  // first: a deadline thread's CPUs cannot be changed
  calls().set_affinity(saved_->cpus);
  set_timer_slack(saved_->timer_slack);
  set_name(saved_->name);
}

RealTimePermission real_time_permission(int priority) {
  check_priority("SCHED_FIFO", priority, false);
  RealTimePermission permission;
  std::thread([&] {
    const auto state = apply_to_this_thread({.scheduling = Fifo{priority}, .required = false});
    permission.granted = state.refused.empty();
    if (!permission.granted) permission.fix = state.refused.front();
  }).join();
  return permission;
}

}  // namespace takt

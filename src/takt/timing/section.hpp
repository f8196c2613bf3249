// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "takt/core/clock.hpp"
#include "takt/core/timer_grid.hpp"
#include "takt/timing/record.hpp"

namespace takt {

/// What a miss means to the user. soft: counted. firm: results published after the deadline are suppressed
/// and counted. hard: the miss handler is called; without one the executor stops and spin() returns with an
/// error that names the callback.
enum class Criticality : std::uint8_t { soft, firm, hard };

/// response: finish - release > deadline. interval: start(k) - start(k-1) > deadline + jitter. Both strict.
enum class MissRule : std::uint8_t { response, interval };

/// At most `misses` in any `window` consecutive activations still count as met. Default: none tolerated.
struct Tolerance {
  std::uint32_t misses = 0;
  std::uint32_t window = 1;
};

/// Given as a deadline: this callback has none, and is not judged.
inline constexpr Duration kNoDeadline = Duration::max();

const char* to_string(Criticality criticality) noexcept;
const char* to_string(MissRule rule) noexcept;

/// Handed to the miss handler, in the thread that ran the activation, right after its finish.
struct MissEvent {
  const char* name;
  std::uint64_t index;  ///< of the activation, from 1
  Duration response;    ///< or the interval, under that rule
  Duration deadline;
  SteadyTime finish;
};
using MissHandler = std::function<void(const MissEvent&)>;

/// How a callback is judged. Shared by timers, subscriptions, chains and a user's own sections.
struct DeadlineOptions {
  std::optional<Duration> deadline;  ///< relative to release; unset: a timer's period, else none
  MissRule rule = MissRule::response;
  Duration jitter{};  ///< with MissRule::interval
  Tolerance tolerance;
  Criticality criticality = Criticality::soft;
  std::uint64_t warmup = 0;  ///< the first activations that are recorded but not judged
  MissHandler
      on_miss;  ///< runs in the activation's thread: must keep the real-time rules itself, and not throw
};

}  // namespace takt

namespace takt::timing {

struct ChainEnd;

/// event: of a publisher or subscription, as a deadline that passed. One that never ran is in no verdict.
enum class SectionKind : std::uint8_t { timer, subscription, chain, section, event };

/// How the clock of a section goes: `not_started` and `stands` only under simulated time.
enum class ClockState : std::uint8_t { runs, not_started, stands };

struct SectionOptions : DeadlineOptions {
  std::string name;
  std::string node;
  SectionKind kind = SectionKind::section;
  ClockKind clock = ClockKind::steady;
  Duration period{};  ///< zero: none
  OverrunPolicy overrun = OverrunPolicy::skip;
  /// Sections of the same mutually exclusive group block each other: two of their activations never run at
  /// the same time, and one sees what the one before it wrote. 0: none
  std::uint32_t group = 0;
};

/// Errors: SetupError for a negative deadline, jitter or window, a window of 0 or fewer activations than
/// misses, or an empty name.
void check(const SectionOptions& options);

/// What finish() found out.
struct Outcome {
  bool missed = false;
  bool stop = false;  ///< a hard deadline was missed and there is no handler
  Duration response{};
};

/// One judged thing: its rule and its always complete counters (kept by the worker itself, so that they are
/// right even where records were lost). Made by Monitor::add, which keeps it alive for as long as the Monitor
/// lives.
class alignas(64) Section {
 public:
  Section(SectionId id, SectionOptions options);

  SectionId id() const noexcept { return id_; }
  /// Of the chains that begin here.
  SectionId origin_id() const noexcept { return origin_id_; }
  const SectionOptions& options() const noexcept { return options_; }
  /// As the options say, until a change of the clock's source. Wait-free.
  ClockKind clock() const noexcept { return clock_.load(std::memory_order_relaxed); }
  ClockState clock_state() const noexcept { return clock_state_.load(std::memory_order_relaxed); }
  /// Real-time: wait-free.
  void set_clock(ClockKind kind, ClockState state) noexcept {
    clock_.store(kind, std::memory_order_relaxed);
    clock_state_.store(state, std::memory_order_relaxed);
  }
  /// "<node>/<name>", as the verdicts show it. Allocates.
  std::string full_name() const;
  Duration deadline() const noexcept { return deadline_; }  ///< kNoDeadline when it has none
  bool firm() const noexcept { return options_.criticality == Criticality::firm; }

  std::uint64_t activations() const noexcept {
    const auto from = activations_from_.load(std::memory_order_acquire);  // never beyond what is loaded next
    return activations_.load(std::memory_order_relaxed) - from;
  }
  /// Of judged activations: warm-up and excluded ones are in neither.
  std::uint64_t misses() const noexcept { return misses_.load(std::memory_order_relaxed); }
  std::uint64_t skips() const noexcept { return skips_.load(std::memory_order_relaxed); }

  std::uint64_t suppressed() const noexcept { return suppressed_.load(std::memory_order_relaxed); }
  std::uint64_t lost_origins() const noexcept { return lost_origins_.load(std::memory_order_relaxed); }
  struct Excluded {
    std::uint64_t not_started, paused, jumped;
  };
  Excluded excluded() const noexcept;
  /// Counted and judged, but their records found no room.
  struct NotRecorded {
    std::uint64_t activations, misses, skips;
  };
  NotRecorded not_recorded() const noexcept;

  /// Counts something that never became an activation: slots that a stopped timer let pass, ready entries of
  /// an older epoch. Real-time: wait-free.
  void count_excluded(RecordFlags why, std::uint64_t n = 1) noexcept;
  void count_suppressed() noexcept { suppressed_.fetch_add(1, std::memory_order_relaxed); }

 private:
  friend class Monitor;
  friend class Fold;
  friend class WorkerLog;
  friend struct Activation;

  /// Fetches what an activation will need into the cache. Wait-free.
  void prefetch() const noexcept {
    __builtin_prefetch(this);
    __builtin_prefetch(&begun_, 1);
  }
  bool ends_chains() const noexcept { return chain_ends_.load(std::memory_order_relaxed) != nullptr; }
  /// Whether this response, or this interval under that rule, breaks the deadline.
  bool breaks(Duration response, std::optional<Duration> interval) const noexcept;
  /// Counts one that begins; its index since the last reset, from 1.
  std::uint64_t count_begun() noexcept {
    const auto from = begun_from_.load(std::memory_order_acquire);
    return add_one(begun_) - from;
  }
  void count_activation() noexcept { add_one(activations_); }
  /// The start before this one gives the interval; an excluded activation leaves none to count from.
  std::optional<Duration> since_last_start(std::int64_t start_ns, bool excluded) noexcept;
  /// The new value. Activations of a mutually exclusive group follow each other, so nobody else adds
  /// meanwhile.
  std::uint64_t add_one(std::atomic<std::uint64_t>& counter) const noexcept {
    if (!exclusive_) return counter.fetch_add(1, std::memory_order_relaxed) + 1;
    const auto next = counter.load(std::memory_order_relaxed) + 1;
    counter.store(next, std::memory_order_relaxed);
    return next;
  }
  void clear_counters() noexcept;

  // Read by every activation: the first cache line, with the rule at the beginning of the options.
  const SectionId id_;
  const SectionId origin_id_;
  const bool exclusive_;  // only one activation at a time: it is of a mutually exclusive group
  const Duration deadline_;
  const SectionOptions options_;

  // Written by every activation: one cache line. A reset does not write the first two, which an activation
  // may be about to store: it moves the points from which they count.
  alignas(64) std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> activations_{0};
  std::atomic<std::uint64_t> begun_from_{0};
  std::atomic<std::uint64_t> misses_{0};
  std::atomic<std::uint64_t> skips_{0};
  std::atomic<std::int64_t> last_start_ns_{INT64_MIN};
  std::atomic<std::uint64_t> warmup_;           // 0 after Monitor::reset
  std::atomic<ChainEnd*> chain_ends_{nullptr};  // the chains that end here; Monitor owns and appends
  // Rare.
  alignas(64) std::atomic<std::uint64_t> activations_from_{0};
  std::atomic<std::uint64_t> suppressed_{0};
  std::atomic<std::uint64_t> excluded_not_started_{0};
  std::atomic<std::uint64_t> excluded_paused_{0};
  std::atomic<std::uint64_t> excluded_jumped_{0};
  std::atomic<ClockKind> clock_;
  std::atomic<ClockState> clock_state_{ClockState::runs};
  std::atomic<std::uint64_t> lost_origins_{0};
  std::atomic<std::uint64_t> not_recorded_{
      0};  // activations whose record found no room, and their misses and skips
  std::atomic<std::uint64_t> not_recorded_misses_{0};
  std::atomic<std::uint64_t> not_recorded_skips_{0};
};

inline std::optional<Duration> Section::since_last_start(std::int64_t start_ns, bool excluded) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const auto next = excluded ? INT64_MIN : start_ns;
  auto before = last_start_ns_.load(kRelaxed);
  if (exclusive_) {
    last_start_ns_.store(next, kRelaxed);
  } else {
    before = last_start_ns_.exchange(next, kRelaxed);
  }
  if (excluded || before == INT64_MIN) return std::nullopt;
  return Duration{start_ns - before};
}

}  // namespace takt::timing

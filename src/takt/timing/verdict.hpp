// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "takt/core/scheduling.hpp"
#include "takt/timing/section.hpp"

namespace takt::timing {

enum class Judgement : std::uint8_t { met, missed, not_judged };

/// Why an activation missed; the order is that of the contract.
enum class Cause : std::uint8_t {
  // application
  own_cpu,
  own_off_cpu,
  blocked_by,
  late_trigger,
  // operating system
  preempted,
  runqueue,
  throttled,
  page_fault,
  // hardware and host
  stolen,
  interrupt,
  // clock
  clock_stopped,
  clock_jumped,
  unknown,
};
inline constexpr std::size_t kCauses = 13;
/// "own_cpu" ...
const char* key(Cause cause) noexcept;
/// "application", "operating system", "hardware and host", "clock", "unknown".
const char* group(Cause cause) noexcept;
/// "own time on the CPU", "blocked by another activation" ...
const char* words(Cause cause) noexcept;

struct Distribution {
  std::uint64_t count = 0;
  double mean_ns = 0;
  Duration min{}, p50{}, p90{}, p99{}, p999{}, max{};
  std::uint64_t max_index = 0;
  Duration max_at{};  ///< since the first activation of the run
};

struct Miss {
  std::uint64_t index = 0;  ///< activation, from 1
  Duration at{};            ///< since the first activation of the run
  Duration response{};
  Cause cause = Cause::unknown;
  std::string detail;  ///< the shares of all causes found, since when they were counted, who blocked
};

/// Everything that is said about one callback, chain or section.
struct Verdict {
  std::string name;
  std::string node;
  SectionKind kind = SectionKind::section;
  ClockKind clock = ClockKind::steady;
  ClockState clock_state = ClockState::runs;  ///< when it was judged
  Judgement judgement = Judgement::not_judged;
  std::string reason;      ///< why missed or not judged; empty when met
  std::string rule_text;   ///< the rule in words: "response (finish - release) <= 10 ms; skip policy: ..."
  SectionOptions options;  ///< as asked
  Duration deadline{};     ///< kNoDeadline: none
  ThreadOptions asked;
  ThreadState granted;                    ///< of the thread that ran it first
  std::vector<ThreadState> also_granted;  ///< what further threads that ran it got, where it differs
  std::uint64_t warmup = 0;  ///< activations that ran as warm-up: among the activations, not judged
  std::uint64_t judged = 0;  ///< the distributions are of these
  std::uint64_t activations = 0, misses = 0, skips = 0, longest_miss_run = 0, suppressed = 0;
  std::uint64_t excluded_not_started = 0, excluded_paused = 0, excluded_jumped = 0;
  std::uint64_t not_recorded = 0;  ///< judged, but absent from the distributions: a ring was full
  std::uint64_t lost_origins = 0;  ///< chains: completions that carried no origin (not judged)
  Distribution lateness, execution, response, interval;
  /// Of what began on simulated time, as long as it lies on it: from the arrival of the sample that made a
  /// slot due to the start, both monotonic.
  Distribution wake_latency;
  std::array<std::uint64_t, kCauses> causes{};
  std::vector<Miss> last_misses;
  double recording_ns = 0;  ///< measured cost of recording one activation here; 0: not measured
};

nlohmann::json to_json(const Verdict& verdict);

enum class VerdictFormat : std::uint8_t { text, json, off };

/// Worst first (missed before not judged before met, then by misses and skips), at most `limit`, and how many
/// were left out. Never more than 100 columns; readable without colour.
std::string to_text(const std::vector<Verdict>& verdicts, std::size_t limit = 10);

}  // namespace takt::timing

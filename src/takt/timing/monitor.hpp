// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt/core/clock.hpp"
#include "takt/core/house.hpp"
#include "takt/timing/record.hpp"
#include "takt/timing/recorder.hpp"
#include "takt/timing/section.hpp"
#include "takt/timing/verdict.hpp"

namespace takt::timing {

struct ChainOptions : DeadlineOptions {
  std::string name;
  std::string from;  ///< the section where it begins: its name, or "node/name" (also of another process)
  std::string to;    ///< the section where it ends; the latency is first start to last finish
};

struct MonitorOptions {
  std::shared_ptr<MonotonicClock> clock;  ///< default: the steady clock
  House* house = nullptr;                 ///< default: the process's own
  std::uint32_t ring_records = 4096;      ///< per thread; power of two
  std::uint32_t last_misses = 16;         ///< kept per section
};

/// Collects the records of all threads of a program (or of one Context) and judges them.
class Monitor {
 public:
  explicit Monitor(MonitorOptions options = {});
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// May block, may allocate. The reference stays valid for the Monitor's life; a section of the same name
  /// and node that has been retired is not reused.
  Section& add(SectionOptions options);
  /// The section's owner is gone, and the last activation ended kLongestHold ago: what was kept of it (some
  /// 80 KB) is freed, its verdict stays. One that never ran leaves the verdicts; beyond kMostRetired the
  /// oldest do, which is logged. Not for chains. May block, may
  /// allocate.
  static constexpr std::size_t kMostRetired = 10'000;
  void retire(Section& section);

  /// Judges a chain: whenever section `to` finishes an activation whose origin is section `from`. The two may
  /// be added later.
  Section& add_chain(ChainOptions options);

  /// Every record in order of its start, from now on, in the thread that folds. Removed when the
  /// handle is destroyed, which must be before the Monitor is.
  using Observer = std::function<void(const ActivationRecord&)>;
  [[nodiscard]] std::shared_ptr<void> observe(Observer observer);

  /// Folds what has been recorded so far, then judges. May block. Any thread.
  std::vector<Verdict> verdicts();
  Verdict verdict(const Section& section);
  void fold();

  /// Starts counting anew: counters, distributions and misses of all sections are cleared (a warm-up ends
  /// here).
  void reset();

  const Section* find(const std::string& name) const;
  const std::string& name_of(SectionId id) const;

  MonotonicClock& clock() const noexcept;

 private:
  friend class Recorder;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace takt::timing

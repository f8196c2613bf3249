// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/common/console.hpp"
#include "lab/common/environment.hpp"
#include "lab/common/load.hpp"
#include "lab/priority/facts.hpp"

namespace takt::lab::priority {

/// The first stretch of each run is not measured: the first activations meet cold memory and a set-up that is
/// just over.
inline constexpr Duration kWarmUp = std::chrono::milliseconds{500};

/// One run: a design in one scheduling.
struct RunPlan {
  const DesignFacts* design = nullptr;
  bool real_time = false;
  int priority = 90;
  WorkKind work = WorkKind::wall;
  LoadKind load = LoadKind::stress_ng;
  bool keep_awake = false;
  Duration length{};
};

/// "FIFO 90" or "default priority".
std::string scheduling_text(const RunPlan& plan);
/// "design 3, FIFO 90".
std::string name_of(const RunPlan& plan);
/// "design3-rt": part of a file's name.
std::string file_stem(const RunPlan& plan);

/// Of one callback (or of the chain: then `execution_ms` is its end-to-end time and there is no period), in
/// order of start.
struct Samples {
  std::vector<double> execution_ms;
  std::vector<double> execution_at_s;
  std::vector<double> period_ms;
  std::vector<double> period_at_s;
};

struct RunResult {
  RunPlan plan;
  std::string refused;       ///< why it did not run at all, with the fix; empty: it ran
  std::string not_used;      ///< it ran, but proves nothing: why; empty: it is used
  bool interrupted = false;  ///< ended early by the user
  Duration measured{};
  Environment environment;
  double others_pct =
      0;  ///< of the CPU time, from the start of the load to its end: neither the load nor this program
  std::vector<timing::ActivationRecord> records;
  std::map<timing::SectionId, std::string> names;
  std::vector<timing::Verdict> verdicts;  ///< of the callbacks
  std::vector<timing::Verdict> chains;
  std::map<std::string, Samples, std::less<>> samples;  ///< by callback, and kChain

  bool ran() const { return refused.empty(); }
  bool used() const { return refused.empty() && not_used.empty(); }
};

/// Runs it in a context of its own. Errors: CannotMeasure when the load cannot be started; what a callback
/// throws.
RunResult run(const RunPlan& plan, Console& console);

/// Fills `samples` from the records (a test gives made-up ones).
void sort_samples(RunResult& result);

}  // namespace takt::lab::priority

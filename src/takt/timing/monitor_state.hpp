// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "takt/timing/chain.hpp"
#include "takt/timing/fold.hpp"
#include "takt/timing/monitor.hpp"

namespace takt::timing {

/// What a Monitor holds: its sections by id, the chains between them, and the fold.
struct Monitor::State {
  explicit State(MonitorOptions given);

  std::shared_ptr<WorkerLog> make_log(ThreadOptions asked, ThreadState granted, std::string pool);
  SectionFold& add(SectionOptions wanted);
  void link(ChainRule& rule, Section& section);
  void begin_at(ChainRule& rule, SectionId origin);
  const std::string& name_of(SectionId id) const;
  /// With the registry locked.
  Verdict judge(const SectionFold& folded);
  Verdict verdict_of(SectionId id);
  void keep_retired(Verdict verdict, SectionId id);

  MonitorOptions options;
  const bool real_clock;
  House& house;
  Fold fold;

  mutable std::mutex registry;                     // guards the following; taken before the fold's own
  std::deque<Section> sections;                    // section id is at id - 1; never shrinks
  std::deque<std::string> names;                   // "node/name", likewise
  std::map<SectionId, std::string> origin_names;   // "node/name" by origin id; those of other processes that
                                                   // chains begin with as well
  std::deque<std::unique_ptr<SectionFold>> folds;  // likewise; null when retired
  std::map<SectionId, Verdict> retired;
  bool retired_dropped = false;  // and logged
  std::deque<ChainRule> rules;
  std::deque<ChainStart> starts;
  std::deque<ChainEnd> ends;

  std::unique_ptr<House::Registration> task;  // last: it ends before what it uses
};

}  // namespace takt::timing

// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/tick_sections.hpp"

#include <algorithm>

namespace takt::sim {

timing::Section* TickSections::of(Duration wall_step) {
  if (wall_step == Duration::zero()) return nullptr;
  const auto known = std::ranges::find(sections_, wall_step, &timing::Section::deadline);
  if (known != sections_.end()) return *known;
  if (sections_.size() == kMost) return nullptr;
  timing::SectionOptions options;
  options.node = "clock";
  options.name = "tick";
  options.deadline = wall_step;
  options.period = wall_step;
  options.overrun = OverrunPolicy::re_anchor;
  return sections_.emplace_back(&monitor_.add(options));
}

std::vector<timing::Verdict> TickSections::verdicts() {
  std::vector<timing::Verdict> all;
  for (const auto* section : sections_) {
    if (section->activations() != 0) all.push_back(monitor_.verdict(*section));
  }
  return all;
}

}  // namespace takt::sim

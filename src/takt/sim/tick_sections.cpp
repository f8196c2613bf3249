// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/tick_sections.hpp"

namespace takt::sim {

timing::Section* TickSections::of(Duration wall_step) {
  if (wall_step == Duration::zero()) return nullptr;
  if (const auto known = sections_.find(wall_step); known != sections_.end()) return known->second;
  if (sections_.size() == kMost) return nullptr;
  timing::SectionOptions options;
  options.node = "clock";
  options.name = "tick";
  options.deadline = wall_step;
  options.period = wall_step;
  options.overrun = OverrunPolicy::re_anchor;
  auto& section = monitor_.add(options);
  sections_.emplace(wall_step, &section);
  order_.push_back(&section);
  return &section;
}

std::vector<timing::Verdict> TickSections::verdicts() {
  std::vector<timing::Verdict> all;
  for (const auto* section : order_) {
    if (section->activations() != 0) all.push_back(monitor_.verdict(*section));
  }
  return all;
}

}  // namespace takt::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "takt/core/house.hpp"
#include "takt/core/virtual_clock.hpp"
#include "takt/timing/monitor.hpp"

namespace takt::timing::testing {

struct Extra {
  std::uint32_t skipped = 0;
  std::uint32_t flags = 0;
};

/// A monitor, one recorder and a virtual clock: runs activations of exact lateness and execution. The house
/// is one of its own.
struct Loop {
  explicit Loop(std::uint32_t ring_records = 4096)
      : monitor({.clock = clock, .house = &house, .ring_records = ring_records}), recorder(monitor) {}

  Section& timer(std::string name, Duration period, DeadlineOptions rule = {}) {
    SectionOptions options;
    static_cast<DeadlineOptions&>(options) = std::move(rule);
    options.name = std::move(name);
    options.kind = SectionKind::timer;
    options.period = period;
    return monitor.add(std::move(options));
  }

  Section& section(std::string name, std::optional<Duration> deadline) {
    SectionOptions options;
    options.deadline = deadline;
    options.name = std::move(name);
    return monitor.add(std::move(options));
  }

  /// The next slot of the section's grid that lies at or after now, late by `late` and busy for `busy`.
  Outcome run(Section& section, Duration late, Duration busy, Extra extra = {}) {
    const auto period = section.options().period;
    const auto now = clock->steady_now().time_since_epoch();
    const auto release = period > Duration::zero() ? (now + period - Duration{1}) / period * period : now;
    clock->advance(release + late - now);
    auto activation = recorder.begin(
        section, {.release = ClockTime{release}, .skipped = extra.skipped, .flags = extra.flags});
    clock->advance(busy);
    return recorder.end(activation);
  }

  std::shared_ptr<VirtualClock> clock = std::make_shared<VirtualClock>();
  House house;
  Monitor monitor;
  Recorder recorder;
};

}  // namespace takt::timing::testing

// SPDX-License-Identifier: Apache-2.0
#include "lab/priority/facts.hpp"

#include <algorithm>
#include <array>

namespace takt::lab::priority {
namespace {

constexpr std::array kDesign1 = {
    CallbackFacts{.name = "consumer/timer",
                  .critical = true,
                  .work_ms = 2,
                  .execution = Tail{2.003, 2.009},
                  .period = Tail{10.64, 12.68}},
    CallbackFacts{.name = "consumer/subscription", .critical = true, .work_ms = 0.5},
    CallbackFacts{
        .name = "logger/timer", .work_ms = 2, .execution = Tail{4.27, 16.85}, .period = Tail{13.30, 17.18}},
    CallbackFacts{.name = "logger/subscription", .work_ms = 0.5},
    CallbackFacts{.name = "producer/timer", .work_ms = 0.2},
};

constexpr std::array kDesign2 = {
    CallbackFacts{.name = "consumer/subscription",
                  .critical = true,
                  .work_ms = 2,
                  .execution = Tail{2.00, 2.01},
                  .period = Tail{10.21, 15.11}},
    CallbackFacts{.name = "producer/timer", .critical = true, .work_ms = 0.2},
    CallbackFacts{
        .name = "consumer/timer", .work_ms = 2, .execution = Tail{7.29, 15.59}, .period = Tail{14.36, 30.49}},
    CallbackFacts{.name = "logger/timer", .work_ms = 2},
    CallbackFacts{.name = "logger/subscription", .work_ms = 0.5},
};

// The published period is that of the pipeline; its spread is too small for any callback but the first.
constexpr std::array kDesign3 = {
    CallbackFacts{.name = "sensor_driver/scan",
                  .critical = true,
                  .work_ms = 0.2,
                  .period = Tail{10.01, 10.03},
                  .period_normal = Tail{13.97, 23.28}},
    CallbackFacts{.name = "obstacle_detector/detect", .critical = true, .work_ms = 5},
    CallbackFacts{.name = "brake_actuator/react", .critical = true, .work_ms = 2},
    CallbackFacts{.name = "logger/timer", .work_ms = 2},
    CallbackFacts{.name = "sensor_driver/state", .work_ms = 1, .period_ms = 100},
    CallbackFacts{.name = "obstacle_detector/state", .work_ms = 1, .period_ms = 100},
    CallbackFacts{.name = "brake_actuator/state", .work_ms = 1, .period_ms = 100},
};

constexpr std::array kDesigns = {
    DesignFacts{1, "a whole node is critical", make_design_1, 1, kDesign1, "consumer/timer", "logger/timer"},
    DesignFacts{2, "one callback group is critical", make_design_2, 1, kDesign2, "consumer/subscription",
                "consumer/timer"},
    DesignFacts{3, "a pipeline through three nodes is critical", make_design_3, 3, kDesign3},
};

}  // namespace

std::span<const DesignFacts> all_designs() { return kDesigns; }

const CallbackFacts* find_callback(const DesignFacts& design, std::string_view name) {
  const auto found = std::ranges::find(design.callbacks, name, &CallbackFacts::name);
  return found == design.callbacks.end() ? nullptr : &*found;
}

}  // namespace takt::lab::priority

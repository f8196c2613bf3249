// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lab/priority/designs.hpp"

/// What is known of the designs beforehand: their callbacks, and the figures that others published or
/// measured. In ms.
namespace takt::lab::priority {

struct Tail {
  double p99 = 0;
  double max = 0;
};

struct EndToEnd {
  double median = 0;
  double p99 = 0;
  double max = 0;
};

struct CallbackFacts {
  std::string_view name;
  bool critical = false;  ///< runs on the real-time executor
  double work_ms = 0;
  double period_ms = 10;
  // Published for the run with real-time priority:
  std::optional<Tail> execution{};
  std::optional<Tail> period{};
  /// Published for the run at the default priority (the pipeline of design 3 only).
  std::optional<Tail> period_normal{};
};

struct DesignFacts {
  int number = 0;
  std::string_view title;
  Nodes (*make)(const DesignSetup&, TwoExecutors&) = nullptr;
  std::size_t critical_threads = 1;
  std::span<const CallbackFacts> callbacks;
  /// The two callbacks that were compared with each other: the same work, with real-time priority and
  /// without.
  std::string_view compared_critical{};
  std::string_view compared_other{};
};

/// Designs 1, 2 and 3.
std::span<const DesignFacts> all_designs();
/// Null for a callback that the design does not have.
const CallbackFacts* find_callback(const DesignFacts& design, std::string_view name);

/// The pipeline of design 3.
inline constexpr std::string_view kChain = "sensor to brake";
inline constexpr double kPipelineWorkMs = 7.2;
inline constexpr EndToEnd kPublishedRealTime{7.31, 7.36, 8.92};
inline constexpr EndToEnd kPublishedNormal{9.32, 22.26, 44.26};
/// The same pipeline in plain rclcpp (Jazzy, Cyclone DDS), stress-ng on both cores of a virtual machine, 28
/// s.
inline constexpr EndToEnd kRclcppRealTime{7.48, 7.73, 12.84};
inline constexpr EndToEnd kRclcppNormal{14.16, 47.18, 64.63};

}  // namespace takt::lab::priority

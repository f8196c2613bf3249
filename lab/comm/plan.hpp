// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lab/comm/stage.hpp"

namespace takt::lab::comm {

/// One point of the matrix: the stacks that meet there run in interleaved rounds.
struct Point {
  std::uint32_t payload = 64;
  std::uint32_t subscribers = 1;
  bool touched = true;

  friend bool operator==(const Point&, const Point&) = default;
};

inline constexpr std::string_view kFilled = "filled";
inline constexpr std::string_view kUntouched = "untouched";
inline constexpr std::string_view kOneWay = "one_way";
inline constexpr std::string_view kRoundTrip = "round_trip";
std::string_view mapping_name(const Point& point);
/// "64 B, 4 subscribers", with "untouched" where it is.
std::string name_of(const Point& point);
/// "1 KiB".
std::string size_text(std::uint32_t bytes);

struct Plan {
  std::string stage = "fanout";
  std::vector<std::string> stacks;
  std::vector<std::uint32_t> payloads;
  std::vector<std::uint32_t> subscribers;
  double rate_hz = 1000;
  double seconds = 5;  ///< of each stack at each point, all rounds together
  std::uint32_t rounds = 9;
  std::string load = "none";
  int priority = 0;  ///< of SCHED_FIFO; 0: the default scheduling
  bool keep_awake = false;
  bool round_trip = false;  ///< readers answer, and the sender measures until the answer

  std::vector<Point> points() const;
  /// What a round of it measures; the same for every stack.
  Round round_at(const Point& point) const;
};

/// The payloads and subscribers of a stage: smoke, fanout, coarse, full, stress. Errors: SetupError for
/// another name.
struct Matrix {
  std::vector<std::uint32_t> payloads, subscribers;
};
Matrix matrix_of(std::string_view stage);
/// How long each stack is measured at a point unless told: the coarse stage has many points.
double seconds_of(std::string_view stage);
/// Below it the messages of a payload are either filled and read, or both that and untouched.
inline constexpr std::uint32_t kBothFrom = 65'536;

/// Everything that must be the same for a run to go on, the machine included.
nlohmann::ordered_json plan_json(const Plan& plan, const nlohmann::ordered_json& machine);
/// What differs between two documents with settings, in words: "rate_hz is 1000 there and 500 here". Empty:
/// nothing.
std::vector<std::string> differences(const nlohmann::ordered_json& there, const nlohmann::ordered_json& here);

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/comm/experiment.hpp"
#include "lab/comm/measure.hpp"
#include "lab/comm/pace.hpp"
#include "lab/common/console.hpp"
#include "lab/common/environment.hpp"
#include "lab/common/output_dir.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::comm {

/// The measuring itself, with what is written after each point. One thread.
class CommRun {
 public:
  CommRun(Experiment& experiment, const OutputDir& dir, Console& console)
      : experiment_(experiment), dir_(dir), console_(console) {}

  /// As far as it goes: what could not go on is returned (else null) and becomes a warning, and what was
  /// measured before is kept. An interrupt ends it without.
  std::exception_ptr run();
  /// results.json and comm.csv of what there is. Errors: CannotMeasure when they cannot be written.
  nlohmann::ordered_json write();

 private:
  void measure_points();
  void tell(const Pace& pace, const Point& point, std::size_t points, double share);
  void keep(const Point& point, const PointRun& run);

  Experiment& experiment_;
  const OutputDir& dir_;
  Console& console_;
  EnvironmentProbe probe_;
  std::string load_command_;
  SteadyTime begin_ = SteadyClock::instance()->steady_now();
};

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "takt/sim/clock_server.hpp"

namespace takt::cli {

/// The file of `takt clock --log`: JSON lines, each written whole (docs/formats/clock.md). One thread, an
/// ordinary one.
class ClockLog {
 public:
  /// Opens or creates the file; start() empties it. A clock that is then refused leaves what is there.
  /// Errors: SetupError.
  explicit ClockLog(std::string path);
  ~ClockLog();
  ClockLog(const ClockLog&) = delete;
  ClockLog& operator=(const ClockLog&) = delete;

  void start(SteadyTime at, const sim::WorldOptions& world);
  /// Writes what the clock has found since the last time. Errors: SetupError, as for all below.
  void drain(sim::ClockServer& clock);
  /// After the clock has been stopped.
  void end(sim::ClockServer& clock);

 private:
  void add(const nlohmann::ordered_json& line);
  void write();
  bool wait_for_the_reader() const;  // of a FIFO; true: there may be room
  [[noreturn]] void throw_unwritable(const char* fix) const;

  std::string path_;
  int file_ = -1;
  std::string pending_;  // whole lines
};

}  // namespace takt::cli

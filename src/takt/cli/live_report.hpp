// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/common/console.hpp"
#include "lab/common/environment.hpp"
#include "takt/core/time.hpp"

namespace takt::cli {

/// What a command of a live graph says: text, or with --json one document in the common envelope.
class LiveReport {
 public:
  explicit LiveReport(bool json);

  lab::Console& console() noexcept { return console_; }
  /// To stderr at once, and among the document's warnings.
  void warn(const std::string& text);
  void warn(const std::vector<std::string>& texts);
  /// Prints text (which ends with a line end, or is empty) or the document; the exit code of the command.
  int finish(const std::string& text, const nlohmann::ordered_json& body);

 private:
  lab::Console console_;
  std::optional<lab::EnvironmentProbe> probe_;  // only for a document
  std::chrono::system_clock::time_point began_;
  SteadyTime began_steady_;
  std::vector<std::string> warnings_;
};

}  // namespace takt::cli

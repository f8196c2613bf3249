// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <thread>

#include "lab/common/console.hpp"
#include "takt/core/time.hpp"

namespace takt::lab {

/// Draws the progress of something that takes `total`, while it lives. Errors: as std::thread.
class ProgressBar {
 public:
  ProgressBar(Console& console, std::string_view label, Duration total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void draw(const std::stop_token& stop, std::string_view label, Duration total);

  Console& console_;
  std::jthread thread_;
};

}  // namespace takt::lab

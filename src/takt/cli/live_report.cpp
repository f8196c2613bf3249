// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/live_report.hpp"

#include "lab/common/envelope.hpp"
#include "lab/common/errors.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::cli {

LiveReport::LiveReport(bool json)
    : console_(json),
      began_(std::chrono::system_clock::now()),
      began_steady_(SteadyClock::instance()->steady_now()) {
  if (json) probe_.emplace();
}

void LiveReport::warn(const std::string& text) {
  console_.message("takt: " + text);
  warnings_.push_back(text);
}

void LiveReport::warn(const std::vector<std::string>& texts) {
  for (const auto& text : texts) warn(text);
}

int LiveReport::finish(const std::string& text, const nlohmann::ordered_json& body) {
  if (probe_) {
    const lab::Envelope envelope{lab::this_command(), lab::iso_time(began_),
                                 SteadyClock::instance()->steady_now() - began_steady_, probe_->finish(),
                                 warnings_};
    console_.document(lab::document(envelope, body));
  } else if (!text.empty()) {
    console_.print(std::string_view(text).substr(0, text.size() - 1));
  }
  return console_.exit_code(lab::kDone);
}

}  // namespace takt::cli

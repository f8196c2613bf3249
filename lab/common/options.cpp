// SPDX-License-Identifier: Apache-2.0
#include "lab/common/options.hpp"

#include <fmt/format.h>

namespace takt::lab {

CLI::Validator seconds_up_to(double longest) {
  const auto check = [longest](const std::string& text) -> std::string {
    double seconds = 0;
    if (!CLI::detail::lexical_cast(text, seconds))
      return fmt::format("'{}' is not a number of seconds", text);
    if (seconds > 0 && seconds <= longest) return "";
    return fmt::format("{} s is out of range: more than 0 and at most {} s", text, longest);
  };
  return {check, fmt::format("SECONDS in (0 - {}]", longest), "seconds"};
}

}  // namespace takt::lab

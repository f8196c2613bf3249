// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/words.hpp"

#include <fmt/format.h>

namespace takt::timing {

std::string in_words(Duration duration, int digits) {
  const auto ns = static_cast<double>(duration.count());
  const auto size = ns < 0 ? -ns : ns;
  if (size >= 1e9) return fmt::format("{:.{}g} s", ns * 1e-9, digits);
  if (size >= 1e5 || ns == 0) return fmt::format("{:.{}g} ms", ns * 1e-6, digits);
  if (size >= 1e3) return fmt::format("{:.{}g} us", ns * 1e-3, digits);
  return fmt::format("{} ns", duration.count());
}

std::string counted(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace takt::timing

// SPDX-License-Identifier: Apache-2.0
#include "takt/core/time.hpp"

#include <fmt/format.h>

namespace takt {

std::string to_string(Duration d) {
  struct Unit {
    std::int64_t ns;
    const char* name;
  };
  constexpr Unit units[] = {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}};
  const auto ns = d.count();
  for (const auto& [size, name] : units) {
    if (ns >= size || ns <= -size) {
      return fmt::format("{:.12g} {}", static_cast<double>(ns) / static_cast<double>(size), name);
    }
  }
  return ns == 0 ? "0 s" : fmt::format("{} ns", ns);
}

}  // namespace takt

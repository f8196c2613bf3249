// SPDX-License-Identifier: Apache-2.0
#include "takt/core/cpu_list.hpp"

#include <charconv>

namespace takt {

std::vector<int> parse_cpu_list(std::string_view text) {
  constexpr int most = 1 << 16;  // a range beyond it is no list of CPUs
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    int first = 0;
    const auto low = std::from_chars(at, end, first);
    if (low.ec != std::errc{} || first < 0) break;
    at = low.ptr;
    int last = first;
    if (at != end && *at == '-') {
      const auto high = std::from_chars(at + 1, end, last);
      if (high.ec != std::errc{} || last < first || last > most) break;
      at = high.ptr;
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (at == end || *at != ',') break;
    ++at;
  }
  return cpus;
}

std::string to_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    auto last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace takt

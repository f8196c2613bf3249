// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/near_matches.hpp"

#include <algorithm>
#include <utility>

namespace takt::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // rows of the table of distances between prefixes: two back, one back, current
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::vector<std::string> near_matches(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& one : known) {
    const bool begins = word.size() >= 2 && one.starts_with(word);
    const std::size_t distance = begins ? 0 : edit_distance(word, one);
    if (distance <= std::max<std::size_t>(1, std::min(word.size(), one.size()) / 3))
      near.emplace_back(distance, one);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < near.size() && i < 3; ++i) names.push_back(near[i].second);
  return names;
}

}  // namespace takt::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/common/table.hpp"

namespace takt::lab::deadlines {

/// One of the small calculations that the published experiment reasons with.
struct Calculation {
  std::string meaning;  ///< "a 100 Hz loop has a period of, ms"
  std::string formula;  ///< "1000 / 100"
  std::string expected;
  std::string actual;  ///< computed here
  bool agrees = false;
};

/// All of them, computed now.
std::vector<Calculation> arithmetic();

Table table_of(const std::vector<Calculation>& calculations);
/// {calculations[{meaning, formula, expected, actual, agrees}], all_agree}
nlohmann::ordered_json to_json(const std::vector<Calculation>& calculations);
bool all_agree(const std::vector<Calculation>& calculations);

}  // namespace takt::lab::deadlines

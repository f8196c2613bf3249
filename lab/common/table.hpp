// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace takt::lab {

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::right;
};

/// The same table on a terminal and in a report.
struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as columns
  std::string note;                            ///< a line below it
};

/// Plain text, columns two spaces apart; empty cells stay empty. Widths count characters, not bytes.
std::string to_text(const Table& table);

}  // namespace takt::lab

// SPDX-License-Identifier: Apache-2.0
#include "lab/common/table.hpp"

#include <algorithm>

#include "takt/core/error.hpp"

namespace takt::lab {
namespace {

std::size_t width_of(const std::string& text) {  // UTF-8: all bytes but the continuing ones
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void append(std::string& line, const std::string& cell, std::size_t width, Align align) {
  const std::string blanks(width - width_of(cell), ' ');
  line += align == Align::left ? cell + blanks : blanks + cell;
}

void end_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

std::string to_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (const auto& column : table.columns) widths.push_back(width_of(column.header));
  for (const auto& row : table.rows) {
    TAKT_CHECK(row.size() == table.columns.size());
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text = table.title.empty() ? "" : table.title + "\n";
  const auto add_line = [&](auto cell_of) {
    std::string line = "  ";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) line += "  ";
      append(line, cell_of(c), widths[c], table.columns[c].align);
    }
    end_line(text, std::move(line));
  };
  add_line([&](std::size_t c) { return table.columns[c].header; });
  add_line([&](std::size_t c) { return std::string(widths[c], '-'); });
  for (const auto& row : table.rows) add_line([&](std::size_t c) { return row[c]; });
  if (!table.note.empty()) text += "  " + table.note + "\n";
  return text;
}

}  // namespace takt::lab

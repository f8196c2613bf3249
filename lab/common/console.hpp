// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "lab/common/table.hpp"
#include "takt/core/time.hpp"

namespace takt::lab {

/// Where a command's words go. Tables and progress to stdout, messages to stderr; with --json stdout carries
/// the document and nothing else (tables are then not printed).
class Console {
 public:
  explicit Console(bool json);
  /// For tests.
  Console(bool json, std::ostream& out, std::ostream& err, bool terminal);

  bool json() const noexcept { return json_; }
  /// A progress bar may be drawn: stdout is a terminal, and carries no document.
  bool interactive() const noexcept { return terminal_ && !json_; }

  void print(std::string_view text);  ///< to stdout, with a line end; nothing with --json
  void print(const Table& table);
  void message(std::string_view text);            ///< to stderr, with a line end
  void document(const nlohmann::json& document);  ///< to stdout; nothing without --json
  void document(const nlohmann::ordered_json& document);
  /// One document of a stream of JSON lines: to stdout on one line; nothing without --json.
  void json_line(const nlohmann::ordered_json& document);

  /// Draws or redraws one line "label [#####.....] 12 s of 60 s"; nothing unless interactive. One thread at a
  /// time.
  void progress(std::string_view label, Duration done, Duration total);
  /// Wipes the progress line.
  void progress_done();

 private:
  bool json_;
  bool terminal_;
  std::ostream& out_;
  std::ostream& err_;
  std::size_t drawn_ = 0;  // width of the progress line on the screen
};

}  // namespace takt::lab

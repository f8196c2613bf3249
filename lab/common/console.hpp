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

  /// Flushes, and returns `code`; where stdout could not be written it says so on stderr and returns
  /// kCannotMeasure. A reader that has gone (`| head`) is no error: what it did not want is dropped.
  int exit_code(int code);

 private:
  void put(std::string_view text);  ///< to stdout, at once

  bool json_;
  bool terminal_;
  std::ostream& out_;
  std::ostream& err_;
  std::size_t drawn_ = 0;  // width of the progress line on the screen
  int error_ = 0;          // errno of the first write to stdout that failed
};

/// First thing in main: a reader that goes away must not end the program (SIGPIPE is ignored), and a standard
/// stream that is closed must not become the number of a file that the program opens.
void prepare_standard_streams() noexcept;
/// Before this process becomes another program, which expects SIGPIPE as it was.
void restore_for_exec() noexcept;

}  // namespace takt::lab

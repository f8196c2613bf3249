// SPDX-License-Identifier: Apache-2.0
#include "lab/common/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace takt::lab {

Console::Console(bool json) : Console(json, std::cout, std::cerr, isatty(STDOUT_FILENO) == 1) {}

Console::Console(bool json, std::ostream& out, std::ostream& err, bool terminal)
    : json_(json), terminal_(terminal), out_(out), err_(err) {}

void Console::print(std::string_view text) {
  if (json_) return;
  progress_done();
  out_ << text << '\n' << std::flush;
}

void Console::print(const Table& table) { print(to_text(table)); }

void Console::message(std::string_view text) {
  progress_done();
  err_ << text << '\n' << std::flush;
}

void Console::document(const nlohmann::json& document) {
  if (json_) out_ << document.dump(2) << '\n' << std::flush;
}

void Console::document(const nlohmann::ordered_json& document) {
  if (json_) out_ << document.dump(2) << '\n' << std::flush;
}

void Console::json_line(const nlohmann::ordered_json& document) {
  if (json_) out_ << document.dump() << '\n' << std::flush;
}

void Console::progress(std::string_view label, Duration done, Duration total) {
  if (!interactive()) return;
  constexpr std::size_t kWidth = 30;
  const double share = total.count() > 0 ? std::clamp(to_seconds(done) / to_seconds(total), 0.0, 1.0) : 1.0;
  const auto filled = static_cast<std::size_t>(share * kWidth);
  auto line = fmt::format("{} [{:#<{}}{:.<{}}] {:.0f} s of {:.0f} s", label, "", filled, "", kWidth - filled,
                          to_seconds(done), to_seconds(total));
  const auto width = line.size();
  if (width < drawn_) line.append(drawn_ - width, ' ');
  drawn_ = width;
  out_ << '\r' << line << std::flush;
}

void Console::progress_done() {
  if (drawn_ == 0) return;
  out_ << '\r' << std::string(drawn_, ' ') << '\r' << std::flush;
  drawn_ = 0;
}

}  // namespace takt::lab

// SPDX-License-Identifier: Apache-2.0
#include "lab/common/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/common/errors.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab {

Console::Console(bool json) : Console(json, std::cout, std::cerr, isatty(STDOUT_FILENO) == 1) {}

Console::Console(bool json, std::ostream& out, std::ostream& err, bool terminal)
    : json_(json), terminal_(terminal), out_(out), err_(err) {}

void Console::print(std::string_view text) {
  if (json_) return;
  progress_done();
  put(fmt::format("{}\n", text));
}

void Console::print(const Table& table) { print(to_text(table)); }

void Console::message(std::string_view text) {
  progress_done();
  err_ << text << '\n' << std::flush;
}

void Console::document(const nlohmann::json& document) {
  if (json_) put(document.dump(2) + "\n");
}

void Console::document(const nlohmann::ordered_json& document) {
  if (json_) put(document.dump(2) + "\n");
}

void Console::json_line(const nlohmann::ordered_json& document) {
  if (json_) put(document.dump() + "\n");
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
  put("\r" + line);
}

void Console::progress_done() {
  if (drawn_ == 0) return;
  put("\r" + std::string(drawn_, ' ') + "\r");
  drawn_ = 0;
}

void Console::put(std::string_view text) {
  if (!out_) return;  // said by exit_code()
  errno = 0;
  out_ << text << std::flush;
  if (!out_ && error_ == 0) error_ = errno != 0 ? errno : EIO;
}

int Console::exit_code(int code) {
  put("");
  if (!out_ && error_ == 0) error_ = EIO;
  const int error = std::exchange(error_, 0);
  out_.clear();  // said once
  if (error == 0 || error == EPIPE) return code;
  message("takt: cannot write to stdout: " + words_of_errno(error));
  return kCannotMeasure;
}

namespace {

using SignalHandler = void (*)(int);
SignalHandler former_pipe_handler = SIG_DFL;
constexpr std::size_t kStdoutBuffer = 65536;  // a whole help text: one write, whose errno is known

}  // namespace

void prepare_standard_streams() noexcept {
  former_pipe_handler = std::signal(SIGPIPE, SIG_IGN);
  std::setvbuf(stdout, nullptr, _IOFBF, kStdoutBuffer);  // NOLINT(cert-err33-c): else it stays as it was
  int fd = -1;
  do {  // takes the lowest free number; writing to it fails, as to a closed one
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) close(fd);
}

void restore_for_exec() noexcept { std::signal(SIGPIPE, former_pipe_handler); }

}  // namespace takt::lab

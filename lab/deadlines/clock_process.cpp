// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/clock_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <utility>

#include "lab/common/errors.hpp"
#include "lab/common/files.hpp"

namespace takt::lab::deadlines {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog = "clock.jsonl";
constexpr const char* kErrors = "clock.stderr";
constexpr int kPollMs = 50;

std::string whole_text(const fs::path& path) {
  auto file = open_if_there(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The last line that is not empty.
std::string last_line(const fs::path& path) {
  auto file = open_if_there(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

/// takt refuses one that others can enter, as the umask may leave it.
std::string make_shm_folder(const fs::path& folder) {
  const fs::path shm = folder / "shm";
  fs::create_directory(shm);
  fs::permissions(shm, fs::perms::owner_all);
  return shm.string();
}

std::vector<std::string> words_of_clock(const fs::path& program, double rtf, const fs::path& log) {
  if (::access(program.c_str(), X_OK) != 0) {
    throw CannotMeasure(
        fmt::format("the clock process is the command takt, and {} is no program", program.string()),
        "build or install it beside this one");
  }
  return {program.string(), "clock",     "--rtf", fmt::format("{:g}", rtf), "--step", "0.001", "--start", "1",
          "--log",          log.string()};
}

}  // namespace

ClockProcess::ClockProcess(const fs::path& program, double rtf)
    : folder_("clock"),
      shm_folder_(make_shm_folder(folder_.path())),
      child_(words_of_clock(program, rtf, folder_.path() / kLog),
             {.environment = {{"TAKT_SHM_DIR", shm_folder_},
                              {"ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"},
                              {"ROS_DOMAIN_ID", "0"},
                              {"TAKT_VERDICT", "off"}},
              .errors = folder_.path() / kErrors}) {}

ClockProcess::~ClockProcess() { stop(); }

void ClockProcess::on_death(std::function<void()> action) {
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child_.pid(), 0));
  if (descriptor < 0) throw CannotMeasure("the clock process cannot be watched (pidfd_open)");
  watcher_ = std::jthread([descriptor, action = std::move(action)](const std::stop_token& stop) {
    pollfd watched{.fd = descriptor, .events = POLLIN, .revents = 0};
    while (!stop.stop_requested()) {
      if (::poll(&watched, 1, kPollMs) <= 0) continue;
      if (!stop.stop_requested()) action();
      break;
    }
    ::close(descriptor);
  });
}

void ClockProcess::stop() noexcept {
  if (watcher_.joinable()) {
    watcher_.request_stop();
    watcher_.join();
  }
  asked_to_end_ = asked_to_end_ || child_.running();
  child_.stop();
}

std::string ClockProcess::fault() {
  if (child_.running() || (asked_to_end_ && child_.ended_normally())) return "";
  const auto said = last_line(folder_.path() / kErrors);
  return fmt::format("the clock process ended {}{}: {}", asked_to_end_ ? "badly" : "by itself",
                     said.empty() ? "" : " (it said: " + said + ")", child_.ending());
}

std::string ClockProcess::log_text() const { return whole_text(folder_.path() / kLog); }

fs::path takt_beside_this_program() {
  std::error_code error;
  const auto self = fs::read_symlink("/proc/self/exe", error);
  return (error ? fs::path("/usr/bin/takt") : self.parent_path() / "takt");
}

}  // namespace takt::lab::deadlines

// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/system_counters.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace takt::timing {

namespace {

/// The number that follows `key` and a space at the beginning of a line.
std::optional<std::int64_t> value_of(std::string_view text, std::string_view key) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const auto line = text.substr(at, text.find('\n', at) - at);
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ') {
      std::int64_t value = 0;
      const auto* first = line.data() + key.size() + 1;
      if (std::from_chars(first, line.data() + line.size(), value).ec == std::errc{}) return value;
    }
    at += line.size() + 1;
  }
  return std::nullopt;
}

/// Column `index` (from 0) of the line that begins with `key` and a space.
std::optional<std::int64_t> column_of(std::string_view text, std::string_view key, int index) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    auto line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
    line.remove_prefix(key.size());
    for (int column = 0;; ++column) {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
      if (error != std::errc{}) return std::nullopt;
      if (column == index) return value;
      line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    }
  }
  return std::nullopt;
}

std::size_t read_at_start(int fd, char* into, std::size_t size) noexcept {
  const auto got = fd < 0 ? -1 : pread(fd, into, size, 0);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace

std::optional<std::int64_t> throttled_time(std::string_view cpu_stat, int version) noexcept {
  if (version == 1) return value_of(cpu_stat, "throttled_time");
  const auto us = value_of(cpu_stat, "throttled_usec");
  return us ? std::optional{*us * 1000} : std::nullopt;
}

std::optional<std::int64_t> stolen_ticks(std::string_view proc_stat, int cpu) noexcept {
  constexpr int kStealColumn = 7;  // user nice system idle iowait irq softirq steal
  char key[16] = "cpu";
  if (cpu >= 0) *std::to_chars(key + 3, key + sizeof key - 1, cpu).ptr = '\0';
  return column_of(proc_stat, key, kStealColumn);
}

SystemCounters::SystemCounters(const std::string& root)
    : stat_(open((root + "/proc/stat").c_str(), O_RDONLY | O_CLOEXEC)),
      tick_ns_(1'000'000'000 / std::max(1L, sysconf(_SC_CLK_TCK))),
      text_(new char[kBuffer]()) {
  const auto quota = find_quota_file(root);
  quota_version_ = quota.version;
  quota_ = quota.path.empty() ? -1 : open(quota.path.c_str(), O_RDONLY | O_CLOEXEC);
}

SystemCounters::~SystemCounters() {
  if (stat_ >= 0) close(stat_);
  if (quota_ >= 0) close(quota_);
}

void SystemCounters::refresh() noexcept {
  size_ = read_at_start(quota_, text_.get(), kBuffer);
  throttled_ = size_ > 0 ? throttled_time({text_.get(), size_}, quota_version_) : std::nullopt;
  size_ = read_at_start(stat_, text_.get(), kBuffer);
}

std::optional<std::int64_t> SystemCounters::stolen(int cpu) const noexcept {
  const auto ticks = stolen_ticks({text_.get(), size_}, cpu);
  return ticks ? std::optional{*ticks * tick_ns_} : std::nullopt;
}

std::optional<std::int64_t> SystemCounters::throttled() const noexcept { return throttled_; }

}  // namespace takt::timing

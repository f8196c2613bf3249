// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "takt/core/time.hpp"

/// A log that a real-time thread may call. The caller copies the arguments into a fixed record of a bounded
/// queue (lock-free, no allocation, no formatting, a system call only when the house is asleep); the house
/// thread formats it and hands it to spdlog (stderr by default). A full queue drops the message and counts
/// it; the count is printed.
namespace takt::log {

enum class Level : std::uint8_t { debug, info, warn, error, off };

/// At most this many bytes of arguments; text arguments are cut to kTextBytes each.
inline constexpr std::size_t kRecordBytes = 384;
inline constexpr std::size_t kTextBytes = 120;

struct Text {
  char bytes[kTextBytes];
  std::uint8_t size;
  std::string_view view() const noexcept { return {bytes, size}; }
};

struct Record {
  using Format = void (*)(const Record&, std::string& out);
  Level level = Level::info;
  Format format = nullptr;
  std::int64_t at_ns = 0;  ///< calendar time, nanoseconds since 1970
  std::uint8_t logger_size = 0;
  char logger[47];           ///< a longer name is cut
  std::string_view pattern;  ///< a string literal: lives as long as the program
  alignas(16) std::byte arguments[kRecordBytes];

  std::string_view logger_name() const noexcept { return {logger, logger_size}; }
};

/// Below this level nothing is recorded. Environment TAKT_LOG (debug, info, warn, error, off) sets it at the
/// first use; default info. A wrong value is reported as a warning that names the allowed ones. Real-time:
/// wait-free but for that first use.
void set_level(Level level) noexcept;
Level level() noexcept;
/// "debug", "info", "warn", "error", "off".
const char* to_string(Level level) noexcept;

/// Allocates the queue and starts the house. Without it the first message of the process does so; set-up code
/// calls it before a real-time thread logs. May allocate.
void prepare();

/// Writes everything recorded so far. May block. Not from a sink.
void flush();
/// How many messages were dropped because the queue was full.
std::uint64_t dropped() noexcept;
/// For tests: lines ("[warn] [logger] text") go to this instead of stderr; nullptr puts stderr back. What was
/// recorded before goes to the old one.
void set_sink(void (*sink)(Level, std::string_view line, void* user), void* user);

/// Limits the rate of a message and counts what it holds back:
///   if (every.due(now)) log::write(..., "{} late cycles more", every.take_suppressed());
class Every {
 public:
  explicit Every(Duration period) noexcept : period_ns_(period.count()) {}

  /// True at the first call and once `period` has passed since the last true; otherwise the call is counted.
  /// Real-time: wait-free; any number of threads.
  bool due(SteadyTime now) noexcept {
    const auto ns = now.time_since_epoch().count();
    auto next = next_ns_.load(std::memory_order_relaxed);
    if (ns >= next && next_ns_.compare_exchange_strong(next, ns + period_ns_, std::memory_order_relaxed))
      return true;
    suppressed_.fetch_add(1, std::memory_order_relaxed);
    total_suppressed_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  /// How many calls were held back since the last time this was asked. Real-time: wait-free.
  std::uint64_t take_suppressed() noexcept { return suppressed_.exchange(0, std::memory_order_relaxed); }
  /// How many calls were held back in all. Real-time: wait-free.
  std::uint64_t total_suppressed() const noexcept {
    return total_suppressed_.load(std::memory_order_relaxed);
  }

 private:
  const std::int64_t period_ns_;
  std::atomic<std::int64_t> next_ns_{INT64_MIN};
  std::atomic<std::uint64_t> suppressed_{0};
  std::atomic<std::uint64_t> total_suppressed_{0};
};

namespace detail {

void submit(Record& record) noexcept;  // moves it into the queue

template <class T>
auto keep(const T& value) noexcept {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    Text text;
    std::string_view view = "(null)";
    if constexpr (std::is_pointer_v<T>) {
      if (value != nullptr) view = value;
    } else {
      view = value;
    }
    text.size = static_cast<std::uint8_t>(view.size() < kTextBytes ? view.size() : kTextBytes);
    std::memcpy(text.bytes, view.data(), text.size);
    return text;
  } else {
    static_assert(std::is_trivially_copyable_v<T>, "log arguments are numbers, enums, pointers or text");
    return value;
  }
}
inline std::string_view show(const Text& text) noexcept { return text.view(); }
template <class T>
const T& show(const T& value) noexcept {
  return value;
}

template <class... Kept>
void format_record(const Record& record, std::string& out) {
  const auto& kept = *std::launder(reinterpret_cast<const std::tuple<Kept...>*>(record.arguments));
  std::apply(
      [&](const auto&... k) {
        fmt::format_to(std::back_inserter(out), fmt::runtime(record.pattern), show(k)...);
      },
      kept);
}

}  // namespace detail

/// Real-time: lock-free, allocates nothing. `pattern` is checked against the arguments at compile time.
template <class... Args>
void write(Level at, std::string_view logger, fmt::format_string<Args...> pattern,
           const Args&... args) noexcept {
  if (at < level()) return;
  using Kept = std::tuple<decltype(detail::keep(args))...>;
  static_assert(sizeof(Kept) <= kRecordBytes, "too many log arguments for one record");
  Record record;
  record.level = at;
  const fmt::string_view text = pattern;
  record.pattern = {text.data(), text.size()};
  record.logger_size = static_cast<std::uint8_t>(std::min(logger.size(), sizeof record.logger));
  std::memcpy(record.logger, logger.data(), record.logger_size);
  new (record.arguments) Kept(detail::keep(args)...);
  record.format = &detail::format_record<decltype(detail::keep(args))...>;
  detail::submit(record);
}

}  // namespace takt::log

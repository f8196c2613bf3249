// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

/// A log that a real-time thread may call. The caller copies the arguments into a fixed record of a bounded queue
/// (lock-free, no allocation, no formatting, a system call only when the house is asleep); the house thread formats it and
/// hands it to spdlog (stderr by default). A full queue drops the message and counts it; the count is printed.
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
  std::int64_t at_ns = 0;      ///< calendar time, nanoseconds since 1970
  std::uint16_t line_length = 0;
  char logger[48] = {};
  std::string_view pattern;    ///< a string literal: lives as long as the program
  alignas(16) std::byte arguments[kRecordBytes] = {};
};

/// Below this level nothing is recorded. Environment TAKT_LOG (debug, info, warn, error, off) sets it at start; default info.
void set_level(Level level) noexcept;
Level level() noexcept;

/// Writes everything recorded so far. May block.
void flush();
/// How many messages were dropped because the queue was full.
std::uint64_t dropped() noexcept;
/// For tests: lines go to this instead of stderr; nullptr puts stderr back.
void set_sink(void (*sink)(Level, std::string_view line, void* user), void* user);

namespace detail {

void submit(Record&& record) noexcept;

template <class T>
auto keep(const T& value) noexcept {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    Text text{};
    const std::string_view view = value;
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
  std::apply([&](const auto&... k) { out += fmt::format(fmt::runtime(record.pattern), show(k)...); }, kept);
}

}  // namespace detail

/// Real-time: lock-free, allocates nothing. `pattern` is checked against the arguments at compile time.
template <class... Args>
void write(Level at, std::string_view logger, fmt::format_string<Args...> pattern, const Args&... args) noexcept {
  if (at < level()) return;
  using Kept = std::tuple<decltype(detail::keep(args))...>;
  static_assert(sizeof(Kept) <= kRecordBytes, "too many log arguments for one record");
  Record record;
  record.level = at;
  record.pattern = {pattern.get().data(), pattern.get().size()};
  std::memcpy(record.logger, logger.data(), logger.size() < sizeof record.logger ? logger.size() : sizeof record.logger - 1);
  new (record.arguments) Kept(detail::keep(args)...);
  record.format = &detail::format_record<decltype(detail::keep(args))...>;
  detail::submit(std::move(record));
}

}  // namespace takt::log

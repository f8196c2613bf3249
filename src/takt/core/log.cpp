// SPDX-License-Identifier: Apache-2.0
#include "takt/core/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "takt/core/bounded_queue.hpp"
#include "takt/core/house.hpp"
#include "takt/core/machine_clock.hpp"

namespace takt::log {
namespace {

constexpr std::uint32_t kDepth = 1024;
constexpr std::uint8_t kUnset = 255;
constexpr const char* kNames[] = {"debug", "info", "warn", "error", "off"};

constinit std::atomic<std::uint8_t> chosen_level{kUnset};

std::optional<Level> parse(std::string_view name) noexcept {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) return static_cast<Level>(i);
  }
  return std::nullopt;
}

Level level_from_environment() noexcept {
  const char* value = std::getenv("TAKT_LOG");  // NOLINT(concurrency-mt-unsafe): nobody in takt writes it
  const auto wanted = value == nullptr ? Level::info : parse(value);
  auto unset = kUnset;
  chosen_level.compare_exchange_strong(unset, static_cast<std::uint8_t>(wanted.value_or(Level::info)));
  if (!wanted && unset == kUnset) {
    write(Level::warn, "log", "TAKT_LOG is '{}': it can be debug, info, warn, error or off; using info",
          value);
  }
  return static_cast<Level>(chosen_level.load());
}

spdlog::level::level_enum spdlog_level(Level level) noexcept {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warn:
      return spdlog::level::warn;
    case Level::error:
    case Level::off:
      break;
  }
  return spdlog::level::err;
}

/// The queue and where its lines go. One for the process, never destroyed: static objects may log when they
/// are destroyed.
class Journal {
 public:
  static Journal& of_process() {
    static Journal& journal = []() -> Journal& {
      static Journal& own = *new Journal;
      // Comes before the house's own exit handler, which was registered earlier.
      std::atexit([] {
        own.direct_.store(true);
        own.drain();
      });
      return own;
    }();
    return journal;
  }

  void submit(Record& record) noexcept {
    if (queue_.push(static_cast<Record&&>(record)) == PushResult::refused)
      dropped_.fetch_add(1, std::memory_order_relaxed);
    if (direct_.load(std::memory_order_relaxed)) {
      drain();
    } else {
      house_.stir();
    }
  }

  /// Writes what is in the queue; true if there was something.
  bool drain() noexcept {
    std::unique_lock lock(mutex_, std::defer_lock);
    // The exit handler must not wait: in a forked child the lock's owner does not exist.
    if (direct_.load()) {
      if (!lock.try_lock()) return false;
    } else {
      lock.lock();
    }
    bool any = false;
    while (auto record = queue_.pop()) {
      any = true;
      emit(*record);
    }
    report_dropped();
    return any;
  }

  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

  void set_sink(void (*sink)(Level, std::string_view, void*), void* user) {
    drain();
    const std::lock_guard lock(mutex_);
    sink_ = sink;
    user_ = user;
  }

 private:
  Journal()
      : house_(House::of_process()),
        queue_(kDepth, WhenFull::refuse),
        stderr_("takt", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    stderr_.set_level(spdlog::level::trace);
    stderr_.set_pattern("[%Y-%m-%d %H:%M:%S.%e] %v");
    registration_ = house_.add([this] { return drain(); });
  }

  void emit(const Record& record) noexcept {
    try {
      line_.clear();
      fmt::format_to(std::back_inserter(line_), "[{}] [{}] ", to_string(record.level), record.logger_name());
      record.format(record, line_);
      put(record.level, record.at_ns);
    } catch (const std::exception& e) {
      print_failure(record, e.what());
    }
  }

  void report_dropped() noexcept {
    const auto total = dropped();
    if (total == reported_) return;
    try {
      line_ =
          fmt::format("[warn] [log] {} messages were dropped because the queue was full", total - reported_);
      put(Level::warn, machine::read(CLOCK_REALTIME).count());
    } catch (const std::exception&) {
      return;  // out of memory: said at the next round
    }
    reported_ = total;
  }

  void put(Level at, std::int64_t at_ns) {
    if (sink_ != nullptr) {
      sink_(at, line_, user_);
      return;
    }
    using spdlog::log_clock;
    const log_clock::time_point time{std::chrono::duration_cast<log_clock::duration>(Duration{at_ns})};
    stderr_.log(time, spdlog::source_loc{}, spdlog_level(at), line_);
  }

  static void print_failure(const Record& record, const char* why) noexcept {
    std::fprintf(stderr, "takt: a log message was not written (%s): %.*s\n", why,
                 static_cast<int>(record.pattern.size()), record.pattern.data());
  }

  House& house_;
  BoundedQueue<Record> queue_;
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<bool> direct_{false};  // the process is at its end: whoever logs writes

  std::mutex mutex_;  // guards all below
  void (*sink_)(Level, std::string_view, void*) = nullptr;
  void* user_ = nullptr;
  std::uint64_t reported_ = 0;  // of dropped_
  std::string line_;
  spdlog::logger stderr_;

  std::unique_ptr<House::Registration> registration_;  // set once
};

}  // namespace

void set_level(Level level) noexcept { chosen_level.store(static_cast<std::uint8_t>(level)); }

Level level() noexcept {
  const auto chosen = chosen_level.load(std::memory_order_relaxed);
  return chosen == kUnset ? level_from_environment() : static_cast<Level>(chosen);
}

const char* to_string(Level level) noexcept { return kNames[static_cast<std::uint8_t>(level)]; }

void prepare() {
  Journal::of_process();
  level();
}

void flush() { Journal::of_process().drain(); }

std::uint64_t dropped() noexcept { return Journal::of_process().dropped(); }

void set_sink(void (*sink)(Level, std::string_view line, void* user), void* user) {
  Journal::of_process().set_sink(sink, user);
}

void detail::submit(Record& record) noexcept {
  record.at_ns = machine::read(CLOCK_REALTIME).count();
  Journal::of_process().submit(record);
}

}  // namespace takt::log

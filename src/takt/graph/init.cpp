// SPDX-License-Identifier: Apache-2.0
// The default context, as rclcpp has it: init(), shutdown(), ok().
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>

#include "takt/core/fork.hpp"
#include "takt/graph/context.hpp"

namespace takt {

namespace {

// rclcpp's vocabulary has a default context; this is the one place where it lives. All else is handed its
// context.
std::mutex g_mutex;
Context::SharedPtr g_default;
std::uint32_t g_generation = 0;  // in which forked child, if any, it was made

timing::VerdictFormat parse_format(std::string_view value, const std::string& where) {
  if (value == "text") return timing::VerdictFormat::text;
  if (value == "json") return timing::VerdictFormat::json;
  if (value == "off") return timing::VerdictFormat::off;
  throw SetupError(where + " is '" + std::string(value) + "'", "use text, json or off");
}

std::optional<timing::VerdictFormat> format_asked(int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--takt-verdict";
  std::optional<timing::VerdictFormat> asked;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read at start-up
  if (const char* value = std::getenv("TAKT_VERDICT"); value != nullptr && *value != '\0') {
    asked = parse_format(value, "environment variable TAKT_VERDICT");
  }
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--takt-")) continue;
    if (argument == kOption && i + 1 < argc) {
      asked = parse_format(argv[++i], std::string(kOption));
    } else if (argument.starts_with(std::string(kOption) + "=")) {
      asked = parse_format(argument.substr(kOption.size() + 1), std::string(kOption));
    } else {
      throw SetupError("unknown option " + std::string(argument), "takt knows --takt-verdict=text|json|off");
    }
  }
  return asked;
}

void end_with_process() noexcept {
  Context::SharedPtr context;
  {
    const std::lock_guard lock(g_mutex);
    if (g_generation != ForkGuard::generation()) {
      // The exit of a forked child: the verdicts are the parent's, and what the context refers to is not
      // here. It is never destroyed. Without memory the child ends at once, which it is about to anyway.
      // NOLINTNEXTLINE(cppcoreguidelines-owning-memory,bugprone-unhandled-exception-at-new)
      static_cast<void>(new Context::SharedPtr(std::move(g_default)));
      return;
    }
    context = g_default;
  }
  if (context) context->end_with_process();
}

std::terminate_handler g_former_terminate = nullptr;

/// An exception that nobody catches: what was measured until then is worth most now.
[[noreturn]] void terminate_with_verdicts() {
  static std::atomic<bool> entered{false};
  if (!entered.exchange(true)) end_with_process();
  if (g_former_terminate != nullptr) g_former_terminate();
  std::abort();
}

/// Once: the verdicts are printed however the program ends, but for a signal that kills it.
void watch_the_end() {
  static const bool watched = [] {
    g_former_terminate = std::set_terminate(terminate_with_verdicts);
    return std::atexit([] { end_with_process(); }) == 0;
  }();
  if (!watched) throw SetupError("no exit handler can be registered", "register fewer with std::atexit");
}

}  // namespace

void init(int argc, const char* const* argv, InitOptions options) {
  if (const auto format = format_asked(argc, argv)) options.verdict = *format;
  const std::lock_guard lock(g_mutex);
  if (g_default && g_default->ok())
    throw SetupError("takt::init() was called twice", "call it once, or shutdown() before");
  g_default = Context::make(std::move(options));
  g_generation = ForkGuard::generation();
  watch_the_end();
}

void shutdown(const std::string& reason) {
  Context::SharedPtr context;
  {
    const std::lock_guard lock(g_mutex);
    context = g_default;
  }
  if (context) context->shutdown(reason);
}

bool ok() noexcept {
  const std::lock_guard lock(g_mutex);
  return g_default && g_default->ok();
}

Context::SharedPtr default_context() {
  const std::lock_guard lock(g_mutex);
  if (!g_default) throw SetupError("there is no default context", "call takt::init(argc, argv) first");
  return g_default;
}

}  // namespace takt

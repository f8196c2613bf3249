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

bool parse_bool(std::string_view value, const std::string& where) {
  if (value == "true") return true;
  if (value == "false") return false;
  throw SetupError(where + " is '" + std::string(value) + "'", "use true or false");
}

/// "--takt-verdict json" or "--takt-verdict=json": the value, if `argument` is this option; moves `i` on.
std::optional<std::string_view> value_of(std::string_view option, int argc, const char* const* argv, int& i) {
  const std::string_view argument = argv[i];
  if (argument == option) {
    if (i + 1 >= argc) throw SetupError(std::string(option) + " has no value", "give it one");
    return argv[++i];
  }
  if (!argument.starts_with(option) || argument.substr(option.size(), 1) != "=") return std::nullopt;
  return argument.substr(option.size() + 1);
}

/// Options of takt, and of ROS 2's the parameter use_sim_time. All others are the program's.
void read_arguments(int argc, const char* const* argv, InitOptions& options) {
  constexpr std::string_view kSimTime = "use_sim_time:=";
  bool ros = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--ros-args") ros = true;
    if (argument == "--") ros = false;
    if (ros && argument.starts_with(kSimTime) &&
        (std::string_view(argv[i - 1]) == "-p" || std::string_view(argv[i - 1]) == "--param")) {
      options.use_sim_time = parse_bool(argument.substr(kSimTime.size()), "the parameter use_sim_time");
    }
    if (!argument.starts_with("--takt-")) continue;
    if (const auto format = value_of("--takt-verdict", argc, argv, i)) {
      options.verdict = parse_format(*format, "--takt-verdict");
    } else if (const auto simulated = value_of("--takt-use-sim-time", argc, argv, i)) {
      options.use_sim_time = parse_bool(*simulated, "--takt-use-sim-time");
    } else {
      throw SetupError("unknown option " + std::string(argument),
                       "takt knows --takt-verdict=text|json|off and --takt-use-sim-time=true|false");
    }
  }
}

void read_environment_variables(InitOptions& options) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read at start-up
  if (const char* value = std::getenv("TAKT_VERDICT"); value != nullptr && *value != '\0') {
    options.verdict = parse_format(value, "environment variable TAKT_VERDICT");
  }
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
  read_environment_variables(options);
  read_arguments(argc, argv, options);
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

// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/clock_verbs.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "lab/common/options.hpp"
#include "takt/cli/live_options.hpp"
#include "takt/core/cpu_list.hpp"
#include "takt/sim/pacer.hpp"

namespace takt::cli {
namespace {

using Kind = sim::ClockCommand::Kind;

constexpr double kLongestStep = 3600;
constexpr double kLastSecond = 2147483647;
constexpr double kShortest = 1e-9;
constexpr double kLongestRun = 86400.0 * 365;

std::optional<double> decimal(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || read_to != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A factor, or "max", which becomes 0.
CLI::Validator factor() {
  const auto check = [](std::string& text) -> std::string {
    if (text == "max") text = "0";
    const auto value = decimal(text);
    if (value && sim::is_factor(*value)) return "";
    return fmt::format("'{}' is no real time factor from {:g} to {:g}, nor max", text, sim::kFlatOutBelow,
                       sim::kLargestFactor);
  };
  return {check, "FACTOR", "factor"};
}

CLI::Validator cpu_list() {
  const auto check = [](const std::string& text) -> std::string {
    const auto cpus = parse_cpu_list(text);
    return !cpus.empty() && to_cpu_list(cpus) == text ? "" : fmt::format("'{}' is no list like 0-2,4", text);
  };
  return {check, "LIST", "cpus"};
}

Duration seconds(double value) { return std::chrono::round<Duration>(std::chrono::duration<double>(value)); }

void add_running_options(CLI::App& clock, ClockRun& run) {
  auto* rtf = clock.add_option("--rtf", run.world.rtf, "real time factor: simulated seconds per wall second")
                  ->capture_default_str()
                  ->transform(factor());
  clock
      .add_option_function<std::string>(
          "--rate", [&run](const std::string&) { run.world.rtf = 0; },
          "max: as fast as possible, as --rtf max")
      ->check(CLI::IsMember({"max"}))
      ->excludes(rtf);
  clock
      .add_option_function<double>(
          "--step", [&run](double value) { run.world.step = seconds(value); },
          "simulated seconds from one sample to the next; default: 0.001")
      ->check(lab::decimal_number(kShortest, kLongestStep));
  clock
      .add_option_function<double>(
          "--start", [&run](double value) { run.world.start = ClockTime{seconds(value)}; },
          "simulated time of the first sample in seconds, above 0, which means \"not started\"; default: 1")
      ->check(lab::decimal_number(kShortest, kLastSecond));
  clock.add_flag("--paused", run.world.paused, "begin paused");
  clock.add_option("--rtf-topic", run.rtf_topic,
                   "topic of the factor as std_msgs/Float32; default: TOPIC/real_time_factor");
  clock.add_option("--log", run.log, "write samples, gaps and the verdict to this file, as JSON lines")
      ->check([](const std::string& text) { return text.empty() ? "the name of the file is empty" : ""; },
              "FILE");
  clock.add_option("--seconds", run.seconds, "end after so long, in seconds of wall time")
      ->check(lab::seconds_up_to(kLongestRun));
  clock.add_option("--scheduling", run.scheduling, "of the thread that keeps the pace: normal or fifo")
      ->capture_default_str()
      ->check(CLI::IsMember({"normal", "fifo"}));
  clock.add_option("--priority", run.priority, "with --scheduling fifo")
      ->capture_default_str()
      ->check(lab::whole_number(1, 98));
  clock
      .add_option_function<std::string>(
          "--cpus", [&run](const std::string& text) { run.cpus = parse_cpu_list(text); },
          "where that thread may run; default: anywhere")
      ->check(cpu_list());
  clock.add_flag("--force", run.force, "although the topic has another source");
}

/// A verb that asks the clock that runs. What only a starting clock has is refused beside it.
Verb add_question(CLI::App& clock, const std::shared_ptr<ClockRun>& run, const char* name, const char* about,
                  Kind kind, const std::function<void(CLI::App&, ClockQuestion&)>& add_options = {}) {
  auto question = std::make_shared<ClockQuestion>();
  question->command.kind = kind;
  CLI::App* parser = clock.add_subcommand(name, about);
  if (add_options) add_options(*parser, *question);
  for (auto* option : clock.get_options()) {
    const auto& names = option->get_lnames();
    const bool shared = !names.empty() && (names[0] == "help" || names[0] == "topic" || names[0] == "json");
    if (!shared) parser->excludes(option);
  }
  add_topic_option(*parser, run->topic, "topic of the clock");
  add_json(*parser, run->json);
  return {parser, [run, question] {
            lab::Console console(run->json);
            return console.exit_code(ask_clock(run->topic, *question, console));
          }};
}

void add_wait(CLI::App& parser, ClockQuestion& question) {
  parser.add_flag("--wait", question.wait, "come back when it is paused there");
}

std::vector<Verb> add_questions(CLI::App& clock, const std::shared_ptr<ClockRun>& run) {
  return {
      add_question(clock, run, "pause", "let simulated time stand", Kind::pause),
      add_question(clock, run, "resume", "let it go on", Kind::resume),
      add_question(clock, run, "step", "let a paused clock do N steps", Kind::step,
                   [](CLI::App& parser, ClockQuestion& question) {
                     question.command.steps = 1;
                     parser.add_option("N", question.command.steps, "how many")
                         ->capture_default_str()
                         ->check(lab::whole_number(1, static_cast<long long>(sim::kMostSteps)));
                     add_wait(parser, question);
                   }),
      add_question(clock, run, "run-to", "run, and pause at a simulated time", Kind::run_to,
                   [](CLI::App& parser, ClockQuestion& question) {
                     auto* command = &question.command;
                     parser
                         .add_option_function<double>(
                             "T", [command](double value) { command->time = ClockTime{seconds(value)}; },
                             "simulated time in seconds")
                         ->required()
                         ->check(lab::decimal_number(0, kLastSecond));
                     add_wait(parser, question);
                   }),
      add_question(clock, run, "reset", "set simulated time back to its start", Kind::reset),
      add_question(clock, run, "rtf", "change the real time factor", Kind::set_rtf,
                   [](CLI::App& parser, ClockQuestion& question) {
                     parser
                         .add_option("R", question.command.rtf,
                                     "simulated seconds per wall second, or max: as fast as possible")
                         ->required()
                         ->transform(factor());
                   }),
      add_question(clock, run, "status", "what time it is there, and how well it keeps its pace",
                   Kind::status),
  };
}

}  // namespace

Context::SharedPtr clock_context(std::uint32_t last_misses) {
  InitOptions init;
  init.handle_signals = false;
  init.verdict = timing::VerdictFormat::off;
  init.discovery = DiscoveryRange::localhost;
  init.last_misses = last_misses;
  return Context::make(std::move(init));
}

std::vector<Verb> add_clock(CLI::App& root) {
  auto run = std::make_shared<ClockRun>();
  CLI::App* clock = root.add_subcommand("clock", "be the source of simulated time, or tell one what to do");
  clock->require_subcommand(0, 1);
  add_topic_option(*clock, run->topic, "topic of the clock");
  add_json(*clock, run->json);
  add_running_options(*clock, *run);
  auto verbs = add_questions(*clock, run);
  clock->footer(
      "Without a verb it publishes simulated time until it is ended, and then says how well it kept its "
      "pace.\n"
      "The verbs act on one that runs. Example:\n"
      "  takt clock --rtf 0.5 --scheduling fifo         in one terminal, and in another\n"
      "  takt clock pause; takt clock step 10 --wait; takt clock resume");
  verbs.push_back({clock, [run] {
                     lab::Console console(run->json);
                     return console.exit_code(run_clock(*run, console));
                   }});
  return verbs;
}

}  // namespace takt::cli

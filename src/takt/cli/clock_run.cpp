// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "takt/cli/clock_log.hpp"
#include "takt/cli/clock_verbs.hpp"
#include "takt/cli/clock_words.hpp"
#include "takt/cli/live_options.hpp"
#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/sim/rivals.hpp"

namespace takt::cli {
namespace {

constexpr Duration kLogPeriod = std::chrono::milliseconds{50};
constexpr std::uint32_t kLogEvents = 4096;
constexpr std::uint32_t kLoggedMisses = 4096;  // of each factor: 1.6 MB

SteadyTime clock_now() { return SteadyClock::instance()->steady_now(); }

sim::ClockServerOptions server_options(const ClockRun& options) {
  sim::ClockServerOptions server;
  server.topic = options.topic;
  server.rtf_topic = options.rtf_topic;
  server.world = options.world;
  server.cpus = options.cpus;
  server.events = options.log.empty() ? 0 : kLogEvents;
  server.force = options.force;
  if (options.scheduling == "fifo") {
    server.scheduling = Fifo{options.priority};
    if (const auto permission = real_time_permission(options.priority); !permission.granted) {
      throw lab::CannotMeasure("--scheduling fifo: the kernel does not let this user run SCHED_FIFO threads",
                               permission.fix + "; or use --scheduling normal");
    }
  }
  return server;
}

void say_started(const ClockRun& options, const sim::ClockServer& clock, lab::Console& console) {
  const auto& world = options.world;
  const auto start = world.start.time_since_epoch();
  const auto rtf = sim::is_flat_out(world.rtf) ? 0 : world.rtf;
  const auto scheduling = to_string(clock.granted().scheduling);
  console.json_line({{"report", "started"},
                     {"topic", options.topic},
                     {"pid", ::getpid()},
                     {"step_ns", world.step.count()},
                     {"sim_ns", start.count()},
                     {"target_rtf", rtf},
                     {"paused", world.paused},
                     {"scheduling", scheduling}});
  console.print(fmt::format(
      "{} {} {:.9g} s in steps of {}, {}; scheduling: {}; Ctrl-C ends it", options.topic,
      world.paused ? "is paused at" : "runs from", to_seconds(start), takt::to_string(world.step),
      rtf == 0 ? "as fast as possible" : fmt::format("at a real time factor of {:g}", rtf), scheduling));
}

void say_ended(const ClockRun& options, sim::ClockServer& clock, lab::Console& console) {
  const auto status = clock.status();
  const auto verdicts = clock.verdicts();
  if (!console.json()) return console.print(summary(status, verdicts));
  nlohmann::ordered_json line = {{"report", "ended"}, {"topic", options.topic}};
  line.update(to_json(status));
  line["wall_ms"] = to_ms(status.at - status.first);
  line["sim_gained_ms"] = to_ms(status.sim_gained);
  line["unpaused_wall_ms"] = to_ms(status.wall_gained);
  line["verdicts"] = nlohmann::ordered_json::array();
  for (const auto& one : verdicts) line["verdicts"].emplace_back(timing::to_json(one));
  console.json_line(line);
}

std::unique_ptr<sim::ClockServer> start_clock(const Context::SharedPtr& context,
                                              const sim::ClockServerOptions& options) {
  try {
    return std::make_unique<sim::ClockServer>(context, options);
  } catch (const sim::RivalError& rival) {
    throw SetupError(rival.problem(),
                     "end that process (`takt status` names all of them; a stopped one goes on with "
                     "kill -CONT), or give this clock another --topic, or --force a second source (readers "
                     "then see both)");
  }
}

/// Until the user or the option ends it.
void keep_running(sim::ClockServer& clock, ClockLog* log, SteadyTime deadline) {
  if (log == nullptr) {
    lab::Interrupt::wait_until(deadline);
    return;
  }
  bool over = false;
  while (!over) {
    over =
        lab::Interrupt::wait_until(std::min(deadline, clock_now() + kLogPeriod)) || clock_now() >= deadline;
    log->drain(clock);
  }
}

}  // namespace

int run_clock(const ClockRun& options, lab::Console& console) {
  std::optional<ClockLog> log;
  if (!options.log.empty()) log.emplace(options.log);
  const auto server = server_options(options);
  const auto context = log ? clock_context(kLoggedMisses) : clock_context();
  const lab::Interrupt interrupt;
  const auto began = clock_now();
  const auto clock = start_clock(context, server);
  const auto deadline = deadline_of(options.seconds);  // of the run, not of the search for another clock
  if (log) log->start(began, options.world);
  say_started(options, *clock, console);
  keep_running(*clock, log ? &*log : nullptr, deadline);
  clock->stop();
  if (log) log->end(*clock);
  say_ended(options, *clock, console);
  return lab::kDone;
}

}  // namespace takt::cli

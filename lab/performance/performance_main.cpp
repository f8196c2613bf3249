// SPDX-License-Identifier: Apache-2.0
// `takt performance`: takt against the floor of the machine, in interleaved rounds, judged as ratios
// (docs/performance.md).
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "lab/common/console.hpp"
#include "lab/common/envelope.hpp"
#include "lab/common/environment.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/keep_awake.hpp"
#include "lab/common/load.hpp"
#include "lab/common/options.hpp"
#include "lab/common/ratio.hpp"
#include "lab/common/shortage.hpp"
#include "lab/performance/cell.hpp"
#include "lab/performance/hop.hpp"
#include "lab/performance/lateness.hpp"
#include "takt/core/scheduling.hpp"

namespace takt::lab::performance {
namespace {

using namespace std::chrono_literals;

struct Options {
  std::size_t rounds = 9;
  std::size_t samples = 2000;
  std::string what = "all";
  bool json = false;
};

std::vector<Comparison> hop_comparisons(std::size_t samples) {
  return {
      {.name = "hop on one thread",
       .condition = "idle",
       .floor_name = "direct call",
       .takt = [=] { return topic_hops(samples); },
       .floor = [=] { return direct_hops(samples); },
       .more_mean_us = 0.3},
      {.name = "timer to subscription, 1 kHz",
       .condition = "idle",
       .floor_name = "direct call",
       .takt = [=] { return timer_to_subscription(samples); },
       .floor = [=] { return timer_to_call(samples); },
       .more_mean_us = 1.0},
  };
}

std::vector<Comparison> thread_comparisons(std::size_t samples, const std::string& condition) {
  return {
      {.name = "across two threads, 1 kHz",
       .condition = condition,
       .floor_name = "bare futex",
       .takt = [=] { return across_threads(samples); },
       .floor = [=] { return across_threads_futex(samples); },
       .margin_p50 = 1.3,
       .margin_mean = 1.3},
  };
}

std::vector<Comparison> lateness_comparisons(std::size_t samples, const std::string& condition) {
  const auto takt = [=] { return timer_lateness(samples); };
  return {
      {.name = "timer lateness, 1 kHz FIFO",
       .condition = condition,
       .floor_name = "clock_nanosleep",
       .takt = takt,
       .floor = [=] { return nanosleep_lateness(samples); },
       .margin_p50 = 1.15,
       .margin_p99 = 1.15},
      {.name = "timer lateness, 1 kHz FIFO",
       .condition = condition,
       .floor_name = "cyclictest",
       .takt = takt,
       .floor = [=] { return cyclictest_lateness(samples); },
       .margin_p50 = 1.15,
       .margin_p99 = 1.15},
      {.name = "lateness of ten timers, FIFO",
       .condition = condition,
       .floor_name = "clock_nanosleep",
       .takt = [=] { return ten_timers_lateness(samples); },
       .floor = [=] { return nanosleep_lateness(samples); },
       .margin_p50 = 1.4,
       .margin_p99 = 1.4},
  };
}

std::vector<std::string> row(const Comparison& c, const std::string& figure, double takt_us, double floor_us,
                             const std::string& judged) {
  return {c.name,
          c.condition,
          figure,
          fmt::format("{:.2f}", takt_us),
          fmt::format("{:.2f}", floor_us) + " " + c.floor_name,
          judged};
}

class Bench {
 public:
  Bench(const Options& options, Console& console) : options_(options), console_(console) {
    table_.title = "takt beside the floor of this machine (us)";
    table_.columns = {{"measured", Align::left}, {"condition", Align::left},
                      {"figure", Align::left},   {"takt"},
                      {"floor", Align::left},    {"ratio of rounds", Align::left}};
  }

  void run(const std::vector<Comparison>& comparisons) {
    for (const auto& comparison : comparisons) {
      console_.message(fmt::format("{} ({}, beside {}) ...", comparison.name, comparison.condition,
                                   comparison.floor_name));
      report(comparison, measure(comparison, options_.rounds));
    }
  }

  const Table& table() const { return table_; }
  const nlohmann::ordered_json& rows() const { return rows_; }

 private:
  void ratio(const Comparison& c, const char* figure, double margin, const std::vector<double>& takt,
             const std::vector<double>& floor, const std::vector<double>& again) {
    const auto result = judge_ratio(takt, floor, again, margin);
    const auto takt_median = distribution_of(takt).p50, floor_median = distribution_of(floor).p50;
    table_.rows.push_back(
        row(c, figure, takt_median, floor_median,
            fmt::format("{:.2f} [{:.2f}, {:.2f}], at most {:.2f}: {} (floor against itself {:.2f})",
                        result.ratio.median, result.ratio.low, result.ratio.high, margin,
                        to_string(result.verdict), result.baseline.median)));
    rows_.push_back({{"measured", c.name},
                     {"condition", c.condition},
                     {"floor", c.floor_name},
                     {"figure", figure},
                     {"takt_us", takt_median},
                     {"floor_us", floor_median},
                     {"judged", to_json(result)}});
  }

  void report(const Comparison& c, const Measured& m) {
    if (c.more_mean_us > 0) {
      std::vector<double> more;
      for (std::size_t i = 0; i < m.takt.mean.size(); ++i) more.push_back(m.takt.mean[i] - m.floor.mean[i]);
      const auto middle = distribution_of(more).p50;
      table_.rows.push_back(row(c, "mean", distribution_of(m.takt.mean).p50,
                                distribution_of(m.floor.mean).p50,
                                fmt::format("{:.3f} us more, at most {:.1f}: {}", middle, c.more_mean_us,
                                            middle <= c.more_mean_us ? "MET" : "NOT MET")));
      rows_.push_back({{"measured", c.name},
                       {"condition", c.condition},
                       {"floor", c.floor_name},
                       {"figure", "mean"},
                       {"more_us", middle},
                       {"at_most_us", c.more_mean_us},
                       {"met", middle <= c.more_mean_us}});
    }
    if (c.margin_mean > 0) ratio(c, "mean", c.margin_mean, m.takt.mean, m.floor.mean, m.again.mean);
    if (c.margin_p50 > 0) ratio(c, "p50", c.margin_p50, m.takt.p50, m.floor.p50, m.again.p50);
    if (c.margin_p99 > 0) ratio(c, "p99", c.margin_p99, m.takt.p99, m.floor.p99, m.again.p99);
  }

  const Options& options_;
  Console& console_;
  Table table_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

void measure_hops(const Options& options, Bench& bench) {
  bench.run(hop_comparisons(options.samples));
  bench.run(thread_comparisons(options.samples, "idle"));
  const KeepAwake keeper;
  bench.run(thread_comparisons(options.samples, "idle, kept awake"));
}

/// Lateness idle and under load, cores kept awake and not.
void measure_lateness(const Options& options, Bench& bench, Console& console) {
  if (const auto permission = real_time_permission(kPriority); !permission.granted) {
    console.message("timer lateness is not measured: SCHED_FIFO is refused; " + permission.fix);
    return;
  }
  for (const bool loaded : {false, true}) {
    const Load load(loaded ? LoadKind::stress_ng : LoadKind::none, 1h);
    for (const bool awake : {false, true}) {
      if (loaded && awake) continue;  // a loaded core is awake
      std::optional<KeepAwake> keeper;
      if (awake) keeper.emplace();
      const std::string condition =
          std::string(loaded ? "stress-ng on every core" : "idle") + (awake ? ", kept awake" : "");
      bench.run(lateness_comparisons(options.samples, condition));
    }
  }
}

int run(const Options& options) {
  Console console(options.json);
  Bench bench(options, console);
  const EnvironmentProbe probe;
  if (options.what != "lateness") measure_hops(options, bench);
  if (options.what != "hops") measure_lateness(options, bench, console);
  const auto environment = probe.finish();
  console.print(bench.table());
  console.print(fmt::format(
      "{} rounds of {} samples, interleaved; {}, {}; the hypervisor took {:.2f} % of the CPU time.",
      options.rounds, options.samples, environment.cpu_model, environment.kernel, environment.steal_pct));
  console.document(nlohmann::ordered_json{{"environment", to_json(environment)}, {"rows", bench.rows()}});
  return console.exit_code(kDone);
}

}  // namespace
}  // namespace takt::lab::performance

int main(int argc, char** argv) {
  takt::lab::prepare_standard_streams();
  takt::lab::performance::Options options;
  CLI::App app("takt beside the floor of this machine: hops and timer lateness, in interleaved rounds",
               "takt performance");
  app.add_option("--rounds", options.rounds, "interleaved rounds; fewer than 9 are not judged")
      ->check(takt::lab::whole_number(1, 1000))
      ->capture_default_str();
  app.add_option("--samples", options.samples, "samples a round and side")
      ->check(takt::lab::whole_number(100, 1000000))
      ->capture_default_str();
  app.add_option("what", options.what, "hops, lateness or all")
      ->check(CLI::Validator(
          [](std::string& word) {
            const bool known = word == "hops" || word == "lateness" || word == "all";
            return known ? std::string() : "unexpected '" + word + "': hops, lateness or all";
          },
          "WHAT"));
  app.add_flag("--json", options.json, "one document on stdout");
  takt::lab::Console console(options.json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    std::ostringstream text;
    app.exit(asked, text, text);
    console.print(text.str());
    return console.exit_code(takt::lab::kDone);
  } catch (const CLI::ParseError& e) {
    console.message(fmt::format("takt performance: {}\ntry: takt performance --help", e.what()));
    return takt::lab::kUsage;
  }
  try {
    return takt::lab::performance::run(options);
  } catch (const std::exception& e) {
    console.message("takt performance: " + takt::lab::words_of(e));
    return takt::lab::kCannotMeasure;
  }
}

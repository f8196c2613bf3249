// SPDX-License-Identifier: Apache-2.0
// `takt comm`: messages between processes of one host, takt beside the floors and other stacks, in
// interleaved rounds judged as ratios (docs/performance.md).
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "lab/comm/roudi.hpp"
#include "lab/comm/round.hpp"
#include "lab/common/console.hpp"
#include "lab/common/distribution.hpp"
#include "lab/common/environment.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/keep_awake.hpp"
#include "lab/common/load.hpp"
#include "lab/common/ratio.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

struct Options {
  std::vector<std::string> stacks = {"futex", "futex-bells", "takt", "iceoryx"};
  std::vector<std::uint32_t> readers = {1, 4, 16};
  std::vector<std::uint32_t> sizes = {64};
  std::uint32_t rounds = 9;
  std::uint32_t samples = 500;
  int fifo = 0;
  bool untouched = false;
  bool pin = false;
  bool keep_awake = false;
  bool load = false;
  bool json = false;
};

/// The figures of each round.
struct Rounds {
  std::vector<double> mean, p50, p99, publish_p50, delivered;
  void add(const RoundResult& result) {
    const auto latency = distribution_of(result.latency_us);
    mean.push_back(latency.mean);
    p50.push_back(latency.p50);
    p99.push_back(latency.p99);
    publish_p50.push_back(distribution_of(result.publish_us).p50);
    delivered.push_back(result.delivered);
  }
};

double middle(const std::vector<double>& values) { return distribution_of(values).p50; }

constexpr const char* kBaseline = "futex-bells";

class Bench {
 public:
  Bench(const Options& options, Console& console) : options_(options), console_(console) {
    table_.title = "messages between processes, 1 kHz (us; median of the rounds)";
    table_.columns = {{"bytes"},       {"readers"},  {"stack", Align::left},       {"mean"}, {"p50"}, {"p99"},
                      {"publish p50"}, {"received"}, {"mean / bells", Align::left}};
  }

  void run(const std::vector<StackName>& stacks, const Cell& cell) {
    console_.message(
        fmt::format("{} bytes{}, {} readers ...", cell.size, cell.touched ? "" : " untouched", cell.readers));
    std::map<std::string, Rounds> rounds;
    Rounds again;
    const auto baseline = std::ranges::find(stacks, std::string(kBaseline), &StackName::name);
    for (std::uint32_t round = 0; round < options_.rounds; ++round) {
      for (const auto& stack : stacks) rounds[stack.name].add(run_round(stack, cell));
      if (baseline != stacks.end()) again.add(run_round(*baseline, cell));
    }
    for (const auto& stack : stacks) report(cell, stack.name, rounds, again);
  }

  const Table& table() const { return table_; }
  const nlohmann::ordered_json& rows() const { return rows_; }

 private:
  void report(const Cell& cell, const std::string& name, const std::map<std::string, Rounds>& all,
              const Rounds& again) {
    const auto& own = all.at(name);
    nlohmann::ordered_json row = {{"stack", name},
                                  {"payload_bytes", cell.size},
                                  {"subscribers", cell.readers},
                                  {"touched", cell.touched},
                                  {"mean_us", middle(own.mean)},
                                  {"p50_us", middle(own.p50)},
                                  {"p99_us", middle(own.p99)},
                                  {"publish_p50_us", middle(own.publish_p50)},
                                  {"delivered", middle(own.delivered)}};
    std::string ratio;
    if (const auto base = all.find(kBaseline); base != all.end()) {
      const auto judged = judge_ratio(own.mean, base->second.mean, again.mean, 1.25);
      ratio =
          fmt::format("{:.2f} [{:.2f}, {:.2f}]{}", judged.ratio.median, judged.ratio.low, judged.ratio.high,
                      name == kBaseline ? fmt::format("; again {:.2f}", judged.baseline.median) : "");
      row["mean_to_bells"] = to_json(judged);
    }
    if (const auto peer = all.find("iceoryx"); peer != all.end() && name.starts_with("takt")) {
      const auto to_peer = ratio_of(own.mean, peer->second.mean);
      ratio += fmt::format("; / iceoryx {:.2f}", to_peer.median);
      row["mean_to_iceoryx"] = to_peer.median;
    }
    table_.rows.push_back({std::to_string(cell.size) + (cell.touched ? "" : " untouched"),
                           std::to_string(cell.readers), name, fmt::format("{:.1f}", middle(own.mean)),
                           fmt::format("{:.1f}", middle(own.p50)), fmt::format("{:.1f}", middle(own.p99)),
                           fmt::format("{:.2f}", middle(own.publish_p50)),
                           fmt::format("{:.1f} %", 100 * middle(own.delivered)), ratio});
    rows_.push_back(std::move(row));
  }

  const Options& options_;
  Console& console_;
  Table table_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

int run(const Options& options) {
  Console console(options.json);
  const auto stacks = stacks_of(options.stacks);
  const auto uses_iceoryx =
      std::ranges::any_of(stacks, [](const auto& stack) { return stack.name.starts_with("iceoryx"); });
  std::optional<Roudi> daemon;
  if (uses_iceoryx) daemon.emplace();
  std::optional<KeepAwake> keeper;
  if (options.keep_awake) keeper.emplace();
  const Load load(options.load ? LoadKind::stress_ng : LoadKind::none, 1h);
  const EnvironmentProbe probe;
  Bench bench(options, console);
  for (const auto size : options.sizes) {
    for (const auto readers : options.readers) {
      Cell cell;
      cell.size = size;
      cell.readers = readers;
      cell.samples = options.samples;
      cell.touched = !options.untouched;
      cell.fifo = options.fifo;
      cell.pin = options.pin;
      bench.run(stacks, cell);
    }
  }
  const auto environment = probe.finish();
  console.print(bench.table());
  console.print(fmt::format(
      "{} rounds of {} messages, interleaved; {}, {}; cores kept awake: {}; pinned: {}; load: {}; the "
      "hypervisor took {:.2f} % of the CPU time.",
      options.rounds, options.samples, environment.cpu_model, environment.kernel,
      options.keep_awake ? "yes" : "no", options.pin ? "yes" : "no", options.load ? "stress-ng" : "none",
      environment.steal_pct));
  console.document(nlohmann::ordered_json{{"environment", to_json(environment)}, {"cells", bench.rows()}});
  return console.exit_code(0);
}

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  using namespace takt::lab;
  prepare_standard_streams();
  comm::Options options;
  CLI::App app("Messages between processes of this host: takt beside bare futexes and other stacks.",
               "takt comm");
  app.add_option("--stacks", options.stacks, fmt::format("of {}", fmt::join(comm::all_stacks(), ", ")))
      ->delimiter(',');
  app.add_option("--subscribers", options.readers, "readers, each in a process of its own")
      ->delimiter(',')
      ->check(CLI::Range(1, static_cast<int>(comm::kMostReaders)));
  app.add_option("--payload", options.sizes, "bytes: 64, 4096, 65536, 1048576")
      ->delimiter(',')
      ->check(CLI::IsMember({64U, 4096U, 65536U, 1048576U}));
  app.add_option("--rounds", options.rounds, "rounds of each stack (9)")->check(CLI::Range(1, 1000));
  app.add_option("--samples", options.samples, "messages a round (500)")
      ->check(CLI::Range(1, static_cast<int>(comm::kMostSamples) - 1000));
  app.add_option("--rt-priority", options.fifo, "SCHED_FIFO priority of all ends")->check(CLI::Range(1, 98));
  app.add_flag("--untouched", options.untouched, "nobody fills or reads the payload");
  app.add_flag("--pin", options.pin, "the sender has the first core, the readers share the others");
  app.add_flag("--keep-awake", options.keep_awake, "no core halts meanwhile");
  app.add_flag("--load", options.load, "stress-ng on every core");
  app.add_flag("--json", options.json, "the document on stdout");
  try {
    app.parse(argc, argv);
    return comm::run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "takt comm: {}\n", words_of(error));
    return 3;
  }
}

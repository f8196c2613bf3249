// SPDX-License-Identifier: Apache-2.0
// What a sample of /clock costs the thread that receives it: n nodes with a timer of 10 ms each, of which
// every tenth sample makes one ready; beside it the bare store of a state.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "takt/core/steady_clock.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/node.hpp"

namespace takt {
namespace {

using namespace std::chrono_literals;

void store_of_a_state(benchmark::State& state) {
  TimeCell cell;
  TimeState time;
  for (auto _ : state) {
    time.now += 1ms;
    cell.write(time);
  }
}
BENCHMARK(store_of_a_state);

void sample_to_nodes(benchmark::State& state) {
  InitOptions options;
  options.handle_signals = false;
  options.verdict = timing::VerdictFormat::off;
  options.discovery = DiscoveryRange::off;
  const auto context = Context::make(options);
  std::vector<std::shared_ptr<Node>> nodes;
  std::vector<Timer::SharedPtr> timers;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    nodes.push_back(std::make_shared<Node>("node_" + std::to_string(i), NodeOptions{.context = context}));
    nodes.back()->get_clock()->time().set_active(true);
    timers.push_back(nodes.back()->create_timer(10ms, [] {}));
  }
  ClockTime sample{1s};
  for (auto _ : state) {
    sample += 1ms;
    const auto now = SteadyClock::instance()->steady_now();
    for (const auto& node : nodes) node->get_clock()->time().set(sample, now, true);
  }
  state.counters["ns_per_node"] =
      benchmark::Counter(static_cast<double>(state.iterations() * state.range(0)) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(sample_to_nodes)->Arg(1)->Arg(16);

}  // namespace
}  // namespace takt

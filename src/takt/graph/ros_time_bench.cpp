// SPDX-License-Identifier: Apache-2.0
// What a sample of /clock costs the thread that receives it: n nodes with a timer of 10 ms each, of which
// every tenth sample makes one ready; beside it the bare store of a state.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <thread>
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

class Nodes {
 public:
  explicit Nodes(std::int64_t count) {
    InitOptions options;
    options.handle_signals = false;
    options.verdict = timing::VerdictFormat::off;
    options.discovery = DiscoveryRange::off;
    context_ = Context::make(options);
    for (std::int64_t i = 0; i < count; ++i) {
      nodes_.push_back(std::make_shared<Node>("node_" + std::to_string(i), NodeOptions{.context = context_}));
      nodes_.back()->get_clock()->time().set_active(true);
      timers_.push_back(nodes_.back()->create_timer(10ms, [] {}));
    }
  }

  void hear_next_sample() {
    sample_ += 1ms;
    const auto now = SteadyClock::instance()->steady_now();
    for (const auto& node : nodes_) node->get_clock()->time().set(sample_, now, true);
  }

 private:
  std::shared_ptr<Context> context_;
  std::vector<std::shared_ptr<Node>> nodes_;
  std::vector<Timer::SharedPtr> timers_;
  ClockTime sample_{1s};
};

void count_nodes(benchmark::State& state) {
  state.counters["ns_per_node"] =
      benchmark::Counter(static_cast<double>(state.iterations() * state.range(0)) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void sample_to_nodes(benchmark::State& state) {
  Nodes nodes(state.range(0));
  for (auto _ : state) nodes.hear_next_sample();
  count_nodes(state);
}
BENCHMARK(sample_to_nodes)->Arg(1)->Arg(16);

/// As a clock of 1 kHz sends them: what was in the cache has had a millisecond to leave it.
void sample_to_nodes_at_1_khz(benchmark::State& state) {
  Nodes nodes(state.range(0));
  for (auto _ : state) {
    std::this_thread::sleep_for(1ms);
    const auto begin = std::chrono::steady_clock::now();
    nodes.hear_next_sample();
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  count_nodes(state);
}
BENCHMARK(sample_to_nodes_at_1_khz)->Arg(1)->Arg(16)->UseManualTime()->Iterations(3000);

}  // namespace
}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
// Publish and take on one thread, beside the baseline without the library: the same callback called directly.
#include <benchmark/benchmark.h>

#include "std_msgs/msg/float64.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/publisher.hpp"
#include "takt/graph/subscription_executable.hpp"
#include "takt/graph/topic_registry.hpp"

namespace takt {
namespace {

using std_msgs::msg::Float64;

struct Hop {
  Hop() {
    InitOptions options;
    options.handle_signals = false;
    options.verdict = timing::VerdictFormat::off;
    context = Context::make(options);
    publisher = std::make_shared<Publisher<Float64>>(context, "talker", "/topic", 10, PublisherOptions{});
    timing::SectionOptions section;
    section.name = "taker";
    executable = std::make_shared<SubscriptionExecutable<Float64>>(
        context->monitor(), context->monitor().add(section), "listener", "/topic", 10,
        SubscriptionCallback<Float64>([this](const Float64& m) { sum += m.data; }));
    context->topics().add(executable);
  }
  ~Hop() { context->topics().remove(executable); }

  std::shared_ptr<Context> context;
  std::shared_ptr<Publisher<Float64>> publisher;
  std::shared_ptr<SubscriptionExecutable<Float64>> executable;
  double sum = 0;
};

void direct_call(benchmark::State& state) {
  double sum = 0;
  std::function<void(const Float64&)> callback = [&](const Float64& m) { sum += m.data; };
  for (auto _ : state) {
    auto message = std::make_unique<Float64>();
    message->data = 1.0;
    callback(*message);
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(direct_call);

void clock_read(benchmark::State& state) {
  const auto& clock = *SteadyClock::instance();
  for (auto _ : state) benchmark::DoNotOptimize(clock.steady_now());
}
BENCHMARK(clock_read);

void publish_and_pop_loan(benchmark::State& state) {
  Hop hop;
  for (auto _ : state) {
    auto loan = hop.publisher->borrow();
    loan->data = 1.0;
    hop.publisher->publish(std::move(loan));
    InPlace in_place;
    const auto parcel = hop.executable->pop(in_place);
    benchmark::DoNotOptimize(parcel->view().data);
  }
}
BENCHMARK(publish_and_pop_loan);

void publish_and_pop_pointer(benchmark::State& state) {
  Hop hop;
  for (auto _ : state) {
    auto message = std::make_unique<Float64>();
    message->data = 1.0;
    hop.publisher->publish(std::move(message));
    InPlace in_place;
    const auto parcel = hop.executable->pop(in_place);
    benchmark::DoNotOptimize(parcel->view().data);
  }
}
BENCHMARK(publish_and_pop_pointer);

void publish_and_pop_copy(benchmark::State& state) {
  Hop hop;
  Float64 message;
  for (auto _ : state) {
    hop.publisher->publish(message);
    InPlace in_place;
    const auto parcel = hop.executable->pop(in_place);
    benchmark::DoNotOptimize(parcel->view().data);
  }
}
BENCHMARK(publish_and_pop_copy);

/// With the recording of the activation: all of a hop but the executor.
void publish_and_run_loan(benchmark::State& state) {
  Hop hop;
  timing::Recorder recorder(hop.context->monitor());
  for (auto _ : state) {
    auto loan = hop.publisher->borrow();
    loan->data = 1.0;
    hop.publisher->publish(std::move(loan));
    RunContext worker{recorder, SteadyClock::instance()->steady_now(), false};
    hop.executable->run(worker);
  }
}
BENCHMARK(publish_and_run_loan);

}  // namespace
}  // namespace takt

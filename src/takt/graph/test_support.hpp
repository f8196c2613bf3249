// SPDX-License-Identifier: Apache-2.0
// For tests of this module: a context on a virtual clock, and a callback that a test makes ready by hand.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "takt/core/virtual_clock.hpp"
#include "takt/graph/callback_group.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/executable.hpp"
#include "takt/graph/node.hpp"

namespace takt::testing {

inline std::shared_ptr<Context> quiet_context(std::shared_ptr<MonotonicClock> clock = nullptr) {
  InitOptions options;
  options.handle_signals = false;
  options.verdict = timing::VerdictFormat::off;
  options.clock = std::move(clock);
  return Context::make(std::move(options));
}

/// Time moves only when the executor waits or a callback sleeps: every run is exact.
struct VirtualRun {
  std::shared_ptr<VirtualClock> clock = std::make_shared<VirtualClock>(VirtualClock::Advance::automatic);
  std::shared_ptr<Context> context = quiet_context(clock);
  SteadyTime start = clock->steady_now();

  Duration elapsed() const { return clock->steady_now() - start; }
  std::shared_ptr<Node> node(const std::string& name = "node") const {
    return std::make_shared<Node>(name, NodeOptions{.context = context});
  }
};

/// Runs `body` once for each trigger().
class Event : public Executable {
 public:
  static std::shared_ptr<Event> make(Context& context, CallbackGroup& group, const std::string& name,
                                     std::function<void()> body) {
    timing::SectionOptions options;
    options.name = name;
    options.node = group.node_name();
    auto event = std::make_shared<Event>(context.monitor(), context.monitor().add(options), std::move(body));
    group.add(event);
    return event;
  }

  Event(timing::Monitor& monitor, timing::Section& section, std::function<void()> body)
      : Executable(monitor, section), body_(std::move(body)) {}

  void trigger() { trigger(monitor_.clock().steady_now()); }
  void trigger(SteadyTime since) {
    pending_.fetch_add(1);
    notify(since);
  }
  int runs() const { return runs_.load(); }

  std::optional<timing::Outcome> run(RunContext& context) override {
    auto pending = pending_.load();
    do {
      if (pending == 0) return std::nullopt;
    } while (!pending_.compare_exchange_weak(pending, pending - 1));
    if (context.may_overlap && pending_.load() > 0) notify(context.now);
    auto activation = context.recorder.begin(section());
    runs_.fetch_add(1);
    try {
      body_();
    } catch (...) {
      activation.flags |= timing::kThrew;
      context.recorder.end(activation);
      throw;
    }
    return context.recorder.end(activation);
  }
  bool has_work() const noexcept override { return pending_.load() > 0; }

 private:
  std::function<void()> body_;
  std::atomic<int> pending_{0};
  std::atomic<int> runs_{0};
};

}  // namespace takt::testing

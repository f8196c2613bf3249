// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/sim_time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::lab::deadlines {

using namespace std::chrono_literals;

NodeOptions node_options(const Phase& phase, const RunSetup& setup, std::shared_ptr<Context> context) {
  NodeOptions options{.context = std::move(context)};
  options.use_sim_time = phase.simulated();
  options.clock_thread = setup.shared_clock_thread ? ClockThread::shared : ClockThread::own;
  return options;
}

std::optional<double> wait_for_clock(Executor& executor, ControlNode& node, ClockProcess& process,
                                     Duration patience) {
  const SteadyClock& clock = *SteadyClock::instance();
  const SteadyTime begin = clock.steady_now();
  while (!node.get_clock()->started()) {
    if (Interrupt::requested()) return std::nullopt;
    if (const auto fault = process.fault(); !fault.empty()) throw ClockDied(fault);
    if (clock.steady_now() - begin > patience)
      throw CannotMeasure(fmt::format("no /clock received within {:g} s", to_seconds(patience)));
    executor.spin_once(10ms);
  }
  return to_seconds(clock.steady_now() - begin);
}

}  // namespace takt::lab::deadlines

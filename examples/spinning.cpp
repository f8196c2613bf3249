// SPDX-License-Identifier: Apache-2.0
// The ways to run an executor: one callback, what is ready, until a future, until cancelled; and a node that
// is added and removed meanwhile.
#include <cstdio>
#include <future>
#include <memory>
#include <takt/takt.hpp>
#include <thread>

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  takt::init(argc, argv);
  int ticks = 0;
  const auto node = std::make_shared<takt::Node>("ticker");
  const auto timer = node->create_timer(200ms, [&] { ++ticks; }, {.name = "tick"});
  takt::Executor executor;
  executor.add_node(node);

  executor.spin_some();  // does not wait: nothing is ready yet
  std::printf("spin_some: %d\n", ticks);
  executor.spin_once();  // waits for one callback
  std::printf("spin_once: %d\n", ticks);

  std::promise<int> answer;
  const auto future = answer.get_future().share();
  const auto answering = node->create_timer(50ms, [&] { answer.set_value(42); });
  const auto result = executor.spin_until_future_complete(future, 5s);
  std::printf("spin_until_future_complete: %s\n",
              result == takt::FutureReturnCode::SUCCESS ? "success" : "no");
  answering->cancel();

  // A second node comes and goes while the executor spins in another thread.
  std::atomic<int> guests{0};
  std::thread spinner([&] { executor.spin(); });
  const auto guest = std::make_shared<takt::Node>("guest");
  const auto guest_timer = guest->create_timer(5ms, [&] { ++guests; }, {.name = "guest"});
  executor.add_node(guest);
  while (guests < 3) std::this_thread::sleep_for(1ms);
  executor.remove_node(guest);  // no activation starts afterwards
  const int seen = guests;
  std::this_thread::sleep_for(50ms);
  std::printf("after remove_node: %d more\n", guests - seen);
  executor.cancel();
  spinner.join();
}

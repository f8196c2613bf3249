// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <string_view>
#include <thread>

namespace takt::lab {

/// A thread of the laboratory; `what` names it should it not start. `body` must not throw.
/// Errors: CannotMeasure with the limit that is in the way.
std::thread start_thread(std::string_view what, std::function<void()> body);

/// Runs `body` in a thread of its own (the caller's scheduling stays as it is), waits for its end, and throws
/// here what it threw there. Errors: CannotMeasure when no thread can be made.
void run_in_thread(std::string_view what, const std::function<void()>& body);

/// A thread beside the caller: what its body throws is kept, `on_failure` is called in it (to end what the
/// caller waits for), and join() throws it. The destructor waits for its end.
class SideThread {
 public:
  SideThread(std::string_view what, std::function<void()> body, std::function<void()> on_failure);
  ~SideThread();
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  void join();

 private:
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace takt::lab

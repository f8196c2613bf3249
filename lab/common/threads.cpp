// SPDX-License-Identifier: Apache-2.0
#include "lab/common/threads.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "lab/common/errors.hpp"
#include "lab/common/shortage.hpp"

namespace takt::lab {

std::thread start_thread(std::string_view what, std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    throw CannotMeasure(fmt::format("a thread ({}) could not be started: {}", what, error.code().message()),
                        fix_of_shortage(error.code().value()));
  }
}

void run_in_thread(std::string_view what, const std::function<void()>& body) {
  SideThread(what, body, [] {}).join();
}

SideThread::SideThread(std::string_view what, std::function<void()> body, std::function<void()> on_failure) {
  thread_ = start_thread(what, [this, body = std::move(body), on_failure = std::move(on_failure)] {
    try {
      body();
    } catch (...) {
      failure_ = std::current_exception();
      on_failure();
    }
  });
}

SideThread::~SideThread() {
  if (thread_.joinable()) thread_.join();
}

void SideThread::join() {
  thread_.join();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace takt::lab

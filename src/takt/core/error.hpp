// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace takt {

/// A set-up call that cannot be done: what() says what and where, fix() how to mend it (what() ends with it).
/// Thrown by set-up functions only; the hot path returns and counts.
class SetupError : public std::runtime_error {
 public:
  explicit SetupError(const std::string& what, std::string fix = {})
      : std::runtime_error(fix.empty() ? what : what + "; " + fix), fix_(std::move(fix)) {}

  const std::string& fix() const noexcept { return fix_; }

 private:
  std::string fix_;
};

/// Prints the broken rule and aborts. A bug of the caller or of takt, never an input error.
[[noreturn]] void abort_on_bug(const char* rule, const char* file, int line) noexcept;

}  // namespace takt

/// Always armed, in release builds too.
#define TAKT_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::takt::abort_on_bug(#condition, __FILE__, __LINE__))

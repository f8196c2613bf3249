// SPDX-License-Identifier: Apache-2.0
#include "takt/core/error.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace takt {
namespace {

void print(const char* text) noexcept {
  // A failed write cannot be reported anywhere: the abort follows in any case.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void print(int number) noexcept {
  char digits[12];
  char* first = digits + sizeof digits - 1;
  *first = '\0';
  do {
    *--first = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  print(first);
}

}  // namespace

// Async-signal-safe: may be called from any thread in any state.
void abort_on_bug(const char* rule, const char* file, int line) noexcept {
  print("takt: bug: ");
  print(rule);
  print(" does not hold at ");
  print(file);
  print(":");
  print(line);
  print("\n");
  std::abort();
}

}  // namespace takt

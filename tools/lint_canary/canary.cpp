// Faults on purpose, one per family of .clang-tidy. tools/lint.py --canary demands that clang-tidy reports
// exactly those named in the comments, each on its line: a check list with a misspelt name is found out here.
// This file is never built.
#include <stdlib.h>  // CANARY: modernize-deprecated-headers

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace canary {

struct bad_name {};  // CANARY: readability-identifier-naming

class Holder {
 public:
  Holder(int value) : value(value) {}  // CANARY: google-explicit-constructor
  int get() const { return value; }

 private:
  int value;  // CANARY: readability-identifier-naming
};

std::size_t used_after_move(std::string text) {
  const std::string taken = std::move(text);
  return taken.size() + text.size();  // CANARY: bugprone-use-after-move
}

std::size_t copied(const std::vector<std::string>& texts) {
  std::size_t sum = 0;
  for (const std::string text : texts) {  // CANARY: performance-for-range-copy
    sum += text.size();
  }
  return sum;
}

const char* null_pointer() {
  return 0;  // CANARY: modernize-use-nullptr
}

int parsed(const char* text) {
  return atoi(text);  // CANARY: cert-err34-c
}

const char* environment() {
  return getenv("HOME");  // CANARY: concurrency-mt-unsafe
}

int after_return(bool yes) {
  if (yes) {
    return 1;
  } else {  // CANARY: readability-else-after-return
    return 2;
  }
}

}  // namespace canary

// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/cdr_status.hpp"

#include <fmt/format.h>

namespace takt::msgs {

namespace {

std::string what(CdrProblem problem, std::uint64_t value) {
  switch (problem) {
    case CdrProblem::kNone:
      return "all is well";
    case CdrProblem::kHeader:
      return fmt::format("the encapsulation is {:04x}, not plain CDR (0000 or 0001)", value);
    case CdrProblem::kEnd:
      return "the bytes end here";
    case CdrProblem::kLength:
      return fmt::format("a length of {} is more than the bytes that are left can hold", value);
    case CdrProblem::kBound:
      return fmt::format("a length of {} is over the type's bound", value);
    case CdrProblem::kTerminator:
      return "the string does not end with a zero byte";
    case CdrProblem::kBool:
      return fmt::format("a bool is {}, neither 0 nor 1", value);
    case CdrProblem::kCharacter:
      return fmt::format("the wide character {:#x} has more than 16 bits", value);
      return "messages are nested too deep";
  }
  return "unknown";
}

}  // namespace

std::string CdrStatus::text() const {
  std::string path;
  for (std::size_t i = depth_; i > 0; --i) path += std::string(fields_[i - 1]) + (i > 1 ? "." : ": ");
  const std::string where = problem_ == CdrProblem::kNone ? "" : fmt::format(" (at byte {})", offset_);
  return path + what(problem_, value_) + where;
}

}  // namespace takt::msgs

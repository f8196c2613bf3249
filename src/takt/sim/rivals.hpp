// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "takt/core/error.hpp"

namespace takt {
class Context;
}

namespace takt::sim {

/// The topic has, or may have, another source of time. problem() is what() without a programmer's way out.
class RivalError : public SetupError {
 public:
  explicit RivalError(std::string problem)
      : SetupError(problem,
                   "end that process, or give this clock another topic, or set ClockServerOptions::force "
                   "(readers then see both)"),
        problem_(std::move(problem)) {}
  const std::string& problem() const noexcept { return problem_; }

 private:
  std::string problem_;
};

/// A topic of time has one source. Errors: RivalError that names another publisher of `topic`, of whatever
/// process of the context's domain, but the one of `node` of this process. Looks once, waits at most 2 s for
/// a process that does not answer: which may be one, and is refused, too. To be called after that one is
/// announced: of two that begin at the same time at least one then sees the other. Does nothing for a context
/// that is alone.
void refuse_rivals(const Context& context, const std::string& topic, const std::string& node);

}  // namespace takt::sim

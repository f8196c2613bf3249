// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

namespace takt::cli {

/// A verb that the parser knows, and what runs (and gives the exit code) when it was the last one named.
struct Verb {
  CLI::App* parser = nullptr;
  std::function<int()> run;
};

}  // namespace takt::cli

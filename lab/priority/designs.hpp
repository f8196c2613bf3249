// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "lab/priority/two_executors.hpp"
#include "lab/priority/work.hpp"
#include "takt/takt.hpp"

/// The three designs, each in a file of its own that reads as a user's program. Each function makes the
/// nodes, gives them to the two executors, and returns them: they run for as long as they are kept.
namespace takt::lab::priority {

struct DesignSetup {
  std::shared_ptr<Context> context;
  Work work;
};
using Nodes = std::vector<Node::SharedPtr>;

/// A whole node is critical.
Nodes make_design_1(const DesignSetup& setup, TwoExecutors& executors);
/// One callback group of a node is critical.
Nodes make_design_2(const DesignSetup& setup, TwoExecutors& executors);
/// The groups along a pipeline through three nodes are critical, and its end-to-end time is a chain with a
/// deadline.
Nodes make_design_3(const DesignSetup& setup, TwoExecutors& executors);

}  // namespace takt::lab::priority

// SPDX-License-Identifier: Apache-2.0
/// \file
/// Everything that a program of nodes needs.
#pragma once

#include "takt/graph/context.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/node.hpp"
#include "takt/graph/rate.hpp"

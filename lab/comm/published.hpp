// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "lab/common/table.hpp"

namespace takt::lab::comm {

/// What others published or was measured elsewhere, each with its machine. Never a part of a comparison.
std::vector<Table> published_tables();

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/executable.hpp"

#include "takt/graph/executor_core.hpp"

namespace takt {

void Executable::notify(SteadyTime since) noexcept {
  if (ReadySlot* slot = slot_.load()) slot->core->set_ready(*slot, since);
}

void Executable::due_changed() noexcept {
  if (ReadySlot* slot = slot_.load()) slot->core->due_changed(*slot, *this);
}

}  // namespace takt

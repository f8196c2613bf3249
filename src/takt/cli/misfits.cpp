// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/misfits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "takt/core/error.hpp"
#include "takt/transport/shm/matching.hpp"

namespace takt::cli {
namespace {

bool same_type(const shm::Endpoint& one, const shm::Endpoint& other) {
  const bool known = one.type_hash != shm::TypeHash{} && other.type_hash != shm::TypeHash{};
  return one.type_name == other.type_name && (!known || one.type_hash == other.type_hash);
}

std::string type_of(const shm::Endpoint& one, const shm::Endpoint& other) {
  if (one.type_name != other.type_name) return one.type_name;
  return one.type_name + " by another definition (" + shm::to_string(one.type_hash) + ")";
}

}  // namespace

void Misfits::refuse_another_type() const {
  auto ends = session_.endpoints();
  std::erase_if(ends, [&](const shm::Endpoint& one) {
    return one.kind == shm::EndpointKind::node || one.topic != publisher_.topic;
  });
  const auto fits = [&](const shm::Endpoint& one) { return same_type(one, publisher_); };
  if (ends.empty() || std::ranges::any_of(ends, fits)) return;
  const auto& one = ends.front();
  throw SetupError(
      fmt::format("{} has the type {} ({} of {}), not {}", publisher_.topic, type_of(one, publisher_),
                  shm::to_string(one.kind), owner_of(one), publisher_.type_name),
      "publish that type, or to another topic; --wait-matching-subscriptions 0 sends all the same");
}

void Misfits::look() {
  const auto changes = session_.changes();  // read before: what comes meanwhile is seen the next time
  if (std::exchange(looked_, true) && changes == changes_seen_) return;
  changes_seen_ = changes;
  for (const auto& one : session_.endpoints()) {
    if (one.topic != publisher_.topic || one.kind == shm::EndpointKind::node) continue;
    std::string reason;
    if (one.kind == shm::EndpointKind::subscription) {
      reason = compatible(publisher_, one).reason;
    } else if (!same_type(one, publisher_)) {
      reason = "it publishes " + type_of(one, publisher_);
    }
    if (reason.empty() || !said_.insert(one.id).second) continue;
    console_.message(fmt::format("takt: {} does not match: {}", owner_of(one), reason));
  }
}

}  // namespace takt::cli

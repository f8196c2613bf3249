// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/matching.hpp"

#include <fmt/format.h>

#include <utility>

namespace takt::shm {
namespace {

std::string type_fault(const Endpoint& publisher, const Endpoint& subscription) {
  if (publisher.type_name != subscription.type_name) {
    return fmt::format("the types differ: publisher {} sends {}, subscription {} takes {}",
                       owner_of(publisher), publisher.type_name, owner_of(subscription),
                       subscription.type_name);
  }
  const bool known = publisher.type_hash != TypeHash{} && subscription.type_hash != TypeHash{};
  if (known && publisher.type_hash != subscription.type_hash) {
    return fmt::format("the definitions of {} differ: publisher {} has {}, subscription {} has {}",
                       publisher.type_name, owner_of(publisher), to_string(publisher.type_hash),
                       owner_of(subscription), to_string(subscription.type_hash));
  }
  return {};
}

std::string deadline_fault(Duration offered, Duration requested) {
  if (offered <= requested) return {};
  const auto wanted = takt::to_string(requested);
  if (offered == EndpointQos::kUnlimited) {
    return fmt::format("the publisher promises no deadline, the subscription asks for a message every {}",
                       wanted);
  }
  return fmt::format("the publisher promises a message every {}, the subscription asks for one every {}",
                     takt::to_string(offered), wanted);
}

std::string qos_fault(const EndpointQos& offered, const EndpointQos& requested) {
  if (offered.reliability < requested.reliability) {
    return "the publisher is best effort, the subscription asks for reliable";
  }
  if (offered.durability < requested.durability) {
    return "the publisher is volatile, the subscription asks for transient local";
  }
  return deadline_fault(offered.deadline, requested.deadline);
}

}  // namespace

Compatibility compatible(const Endpoint& publisher, const Endpoint& subscription) {
  if (publisher.kind != EndpointKind::publisher || subscription.kind != EndpointKind::subscription) {
    return {fmt::format("a {} and a {} exchange no messages", to_string(publisher.kind),
                        to_string(subscription.kind))};
  }
  auto fault = type_fault(publisher, subscription);
  return {fault.empty() ? qos_fault(publisher.qos, subscription.qos) : std::move(fault)};
}

}  // namespace takt::shm

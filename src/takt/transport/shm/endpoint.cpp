// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/endpoint.hpp"

#include <fmt/format.h>

#include <iterator>

namespace takt::shm {

const char* to_string(EndpointKind kind) noexcept {
  switch (kind) {
    case EndpointKind::publisher:
      return "publisher";
    case EndpointKind::subscription:
      return "subscription";
    case EndpointKind::node:
      break;
  }
  return "node";
}

const char* to_string(Departure reason) noexcept { return reason == Departure::left ? "left" : "died"; }

bool says_too_much(const Endpoint& endpoint) noexcept {
  return endpoint.kind == EndpointKind::node &&
         !(endpoint.topic.empty() && endpoint.type_name.empty() && endpoint.segment.empty() &&
           endpoint.type_hash == TypeHash{});
}

std::string owner_of(const Endpoint& endpoint) {
  return fmt::format("{} (process {})", endpoint.node, endpoint.pid);
}

std::string to_string(const TypeHash& hash) {
  if (hash == TypeHash{}) return "unknown";
  std::string text = "RIHS01_";
  for (const auto byte : hash)
    fmt::format_to(std::back_inserter(text), "{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

}  // namespace takt::shm

// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/endpoint.hpp"

#include <fmt/format.h>

#include <iterator>

namespace takt::shm {

const char* to_string(EndpointKind kind) noexcept {
  return kind == EndpointKind::publisher ? "publisher" : "subscription";
}

const char* to_string(Departure reason) noexcept { return reason == Departure::left ? "left" : "died"; }

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

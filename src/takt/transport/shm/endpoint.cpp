// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/endpoint.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace takt::shm {
namespace {

constexpr std::string_view kHashPrefix = "RIHS01_";

}  // namespace

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
  std::string text(kHashPrefix);
  for (const auto byte : hash)
    fmt::format_to(std::back_inserter(text), "{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

TypeHash type_hash_of(std::string_view text) noexcept {
  TypeHash hash{};
  if (!text.starts_with(kHashPrefix) || text.size() != kHashPrefix.size() + 2 * hash.size()) return {};
  const char* at = text.data() + kHashPrefix.size();
  for (auto& byte : hash) {
    unsigned value = 0;
    if (std::from_chars(at, at + 2, value, 16).ptr != at + 2) return {};
    byte = static_cast<std::byte>(value);
    at += 2;
  }
  return hash;
}

}  // namespace takt::shm

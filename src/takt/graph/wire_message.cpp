// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/wire_message.hpp"

#include <charconv>

#include "takt/core/error.hpp"

namespace takt::wire {

shm::TypeHash to_type_hash(const std::string& rihs) {
  constexpr std::size_t kPrefix = 7;  // "RIHS01_"
  shm::TypeHash hash{};
  TAKT_CHECK(rihs.size() == kPrefix + 2 * hash.size());
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const char* digits = rihs.data() + kPrefix + 2 * i;
    unsigned value = 0;
    TAKT_CHECK(std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2);
    hash[i] = static_cast<std::byte>(value);
  }
  return hash;
}

}  // namespace takt::wire

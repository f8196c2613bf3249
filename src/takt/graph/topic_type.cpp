// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/topic_type.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "takt/core/error.hpp"

namespace takt {

shm::TypeHash hash_of_generated(std::string_view text) {
  const auto hash = shm::type_hash_of(text);
  TAKT_CHECK(hash != shm::TypeHash{});
  return hash;
}

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return name ? name.get() : type.name();
}

}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/known_type.hpp"

#include <fmt/format.h>

#include "lab/common/options.hpp"
#include "takt/core/error.hpp"
#include "takt/msgs/type_catalog.hpp"
#include "takt/msgs/type_hash.hpp"
#include "takt/transport/shm/endpoint.hpp"

namespace takt::cli {
namespace {

constexpr const char* kFix = "give the folder of packages that it was built with: --definitions DIR";

}  // namespace

void add_definitions(CLI::App& parser, std::vector<std::string>& folders) {
  parser
      .add_option("--definitions", folders,
                  "folder of packages with .msg files, for types that do not come with takt; may be repeated")
      ->check(lab::folder_name())
      ->expected(1)
      ->take_all();
}

KnownType find_type(const std::string& name, const std::vector<std::string>& folders) {
  msgs::TypeCatalog catalog;
  for (const auto& folder : folders) catalog.add_folder(folder);
  try {
    KnownType type{catalog.get(name)};
    type.hash = shm::type_hash_of(msgs::type_hash(*type.description));
    return type;
  } catch (const SetupError& error) {
    throw SetupError(error.what(), kFix);
  }
}

void check_definitions(const KnownType& type, std::span<const shm::Endpoint> endpoints) {
  const shm::Endpoint* other = nullptr;
  for (const auto& one : endpoints) {
    if (one.kind != shm::EndpointKind::publisher || one.type_name != type.description->name) continue;
    if (one.type_hash == type.hash || one.type_hash == shm::TypeHash{}) return;
    other = &one;
  }
  if (other == nullptr) return;
  throw SetupError(
      fmt::format("{} publishes {} by another definition than the one known here: {} there, {} here",
                  owner_of(*other), other->type_name, shm::to_string(other->type_hash),
                  shm::to_string(type.hash)),
      kFix);
}

}  // namespace takt::cli

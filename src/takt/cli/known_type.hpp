// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "takt/msgs/type_description.hpp"
#include "takt/transport/shm/endpoint.hpp"

namespace takt::cli {

/// A type whose definition the command has, so that it can read and write messages.
struct KnownType {
  std::shared_ptr<const msgs::TypeDescription> description;
  shm::TypeHash hash{};
};

/// The option --definitions.
void add_definitions(CLI::App& parser, std::vector<std::string>& folders);

/// The type of that name, from those that come with takt and below the folders, which take precedence.
/// Errors: SetupError when it is not known; says what to do.
KnownType find_type(const std::string& name, const std::vector<std::string>& folders);

/// Errors: SetupError, which says what to do, when there are publishers and the definition of every one with
/// this type's name is another.
void check_definitions(const KnownType& type, std::span<const shm::Endpoint> endpoints);

}  // namespace takt::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt/msgs/definition.hpp"
#include "takt/msgs/type_description.hpp"

namespace takt::msgs {

/// Finds message types by name. Knows those that come with takt; others are added as text or as folders of
/// .msg and .srv files. Of a service "package/srv/Type" it makes Type_Request, Type_Response, Type_Event and
/// Type. Set-up only: it allocates and reads files. One thread at a time.
class TypeCatalog {
 public:
  /// Takes precedence over a type of that name that was known before. `name` is "package/msg/Type", or with
  /// srv.
  void add_definition(const std::string& name, Definition definition);

  /// A type's definition with those it refers to, as in bag files (see definition_bundle()).
  void add_bundle(const std::string& name, std::string_view bundle);

  /// A package's folder (its name is the package's; msg/ and srv/ are in it), or a folder of such packages,
  /// also as an installed ROS 2 has them (share/<package>). Throws SetupError when there is no definition
  /// below it.
  void add_folder(const std::filesystem::path& folder);

  /// The type of that name; "std_msgs/String" is short for "std_msgs/msg/String". Throws SetupError when it
  /// is unknown (naming the nearest) or its definition is wrong (naming file and line).
  std::shared_ptr<const TypeDescription> get(std::string_view name);

  /// Names of all types that are known, sorted; of a service only its own.
  std::vector<std::string> names() const;

 private:
  bool add_package(const std::filesystem::path& folder);
  std::optional<Definition> find(const std::string& name) const;
  std::shared_ptr<const TypeDescription> make(const std::string& name, const std::string& wanted_by);
  std::shared_ptr<const TypeDescription> make_from(const std::string& name, const Definition& definition);
  std::shared_ptr<const TypeDescription> make_service_part(const std::string& name);
  std::shared_ptr<const TypeDescription> make_service(const std::string& name, const Definition& service);
  std::shared_ptr<const TypeDescription> make_event(const std::string& name, const std::string& service);
  static std::shared_ptr<const TypeDescription> finish(TypeDescription description);
  [[noreturn]] void throw_unknown(const std::string& name, const std::string& wanted_by) const;

  std::map<std::string, Definition, std::less<>> added_;
  std::map<std::string, std::shared_ptr<const TypeDescription>, std::less<>> made_;
  std::vector<std::string> making_;  // the types on the way to the present one
};

}  // namespace takt::msgs

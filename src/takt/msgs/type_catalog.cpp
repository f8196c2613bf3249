// SPDX-License-Identifier: Apache-2.0
#include "takt/msgs/type_catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/msgs/builtin_definitions.hpp"

namespace takt::msgs {

namespace {

constexpr std::size_t kDeepest = 32;                          // messages within messages
constexpr std::size_t kLargestFixed = std::size_t{1} << 30U;  // bytes; larger is a mistake in a definition

/// "std_msgs/msg/Header" in its three parts; empty ones where there are fewer.
struct NameParts {
  std::string package, kind, type;
};

NameParts parts_of(std::string_view name) {
  const std::size_t first = name.find('/');
  if (first == std::string_view::npos) return {};
  const std::size_t second = name.find('/', first + 1);
  if (second == std::string_view::npos)
    return {std::string(name.substr(0, first)), "msg", std::string(name.substr(first + 1))};
  return {std::string(name.substr(0, first)), std::string(name.substr(first + 1, second - first - 1)),
          std::string(name.substr(second + 1))};
}

std::string full_name(std::string_view name) {
  const NameParts parts = parts_of(name);
  return parts.type.empty() ? std::string(name)
                            : fmt::format("{}/{}/{}", parts.package, parts.kind, parts.type);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw SetupError(fmt::format("{} cannot be read", path.string()), "check its permissions");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Bytes that the field takes at least, for the bounds checks of decoding.
std::size_t at_least(const FieldDescription& field) {
  std::size_t one = width_of(field.kind);
  if (field.kind == FieldKind::kMessage) one = field.nested->at_least;
  if (field.kind == FieldKind::kString || field.kind == FieldKind::kWString) one = 4;
  switch (field.array) {
    case ArrayKind::kSingle:
      return one;
    case ArrayKind::kFixed:
      return one * field.capacity;
    case ArrayKind::kBounded:
    case ArrayKind::kUnbounded:
      break;
  }
  return 4;
}

FieldDescription message_field(std::string name, std::shared_ptr<const TypeDescription> nested,
                               bool at_most_one) {
  FieldDescription field;
  field.name = std::move(name);
  field.nested = std::move(nested);
  field.array = at_most_one ? ArrayKind::kBounded : ArrayKind::kSingle;
  field.capacity = at_most_one ? 1 : 0;
  return field;
}

}  // namespace

void TypeCatalog::add_definition(const std::string& name, Definition definition) {
  made_.clear();
  added_.insert_or_assign(full_name(name), std::move(definition));
}

void TypeCatalog::add_bundle(const std::string& name, std::string_view bundle) {
  std::string current = name;
  Definition definition{{}, full_name(name), 1};
  int line = 0;
  while (!bundle.empty()) {
    const std::size_t end = std::min(bundle.find('\n'), bundle.size());
    const std::string_view text = bundle.substr(0, end);
    bundle.remove_prefix(std::min(end + 1, bundle.size()));
    ++line;
    if (text.starts_with("MSG: ")) {
      current = text.substr(5);
      definition = {{}, full_name(current), line + 1};
    } else if (text.starts_with("=====")) {
      add_definition(current, std::move(definition));
      definition = {};
      current.clear();
    } else {
      definition.text.append(text).append("\n");
    }
  }
  if (!current.empty()) add_definition(current, std::move(definition));
}

void TypeCatalog::add_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(folder, error);
  bool found = add_package(whole);
  for (const std::filesystem::path& packages : {whole, whole / "share"}) {
    for (const auto& entry : std::filesystem::directory_iterator(packages, error)) {
      if (entry.is_directory(error)) found = add_package(entry.path()) || found;
    }
  }
  if (!found) {
    throw SetupError(fmt::format("no message definitions below {}", folder.string()),
                     "give a folder that holds <package>/msg/*.msg, or a package's own");
  }
}

bool TypeCatalog::add_package(const std::filesystem::path& folder) {
  bool found = false;
  for (const std::string kind : {"msg", "srv"}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder / kind, error)) {
      if (entry.path().extension() != "." + kind) continue;
      const std::string name =
          fmt::format("{}/{}/{}", folder.filename().string(), kind, entry.path().stem().string());
      add_definition(name, {read_file(entry.path()), entry.path().string(), 1});
      found = true;
    }
  }
  return found;
}

std::shared_ptr<const TypeDescription> TypeCatalog::get(std::string_view name) {
  making_.clear();
  return make(full_name(name), {});
}

std::vector<std::string> TypeCatalog::names() const {
  std::set<std::string> names;
  for (const BuiltinDefinition& builtin : builtin_definitions()) names.emplace(builtin.name);
  for (const auto& [name, definition] : added_) names.insert(name);
  return {names.begin(), names.end()};
}

std::shared_ptr<const TypeDescription> TypeCatalog::make(const std::string& name,
                                                         const std::string& wanted_by) {
  if (const auto made = made_.find(name); made != made_.end()) return made->second;
  if (std::find(making_.begin(), making_.end(), name) != making_.end()) {
    throw SetupError(fmt::format("{}{} contains itself", wanted_by, name));
  }
  if (making_.size() >= kDeepest) throw SetupError(fmt::format("{}{} is nested too deep", wanted_by, name));
  making_.push_back(name);

  const NameParts parts = parts_of(name);
  std::shared_ptr<const TypeDescription> made;
  if (parts.kind == "srv") {
    made = make_service_part(name);
  } else if (const auto definition = find(name)) {
    made = make_from(name, *definition);
  }
  if (!made) throw_unknown(name, wanted_by);
  making_.pop_back();
  made_.emplace(name, made);
  return made;
}

std::shared_ptr<const TypeDescription> TypeCatalog::make_from(const std::string& name,
                                                              const Definition& definition) {
  const ParsedDefinition parsed = parse_definition(parts_of(name).package, definition);
  TypeDescription description;
  description.name = name;
  description.definition = definition.text;
  description.constants = parsed.constants;
  for (const ParsedField& one : parsed.fields) {
    description.fields.push_back(one.field);
    if (one.type_name.empty()) continue;
    const std::string wanted_by =
        fmt::format("{}:{}: field '{}': ", definition.origin, one.line, one.field.name);
    description.fields.back().nested = make(one.type_name, wanted_by);
  }
  return finish(std::move(description));
}

std::optional<Definition> TypeCatalog::find(const std::string& name) const {
  if (const auto added = added_.find(name); added != added_.end()) return added->second;
  const BuiltinDefinition* builtin = find_builtin_definition(name);
  if (builtin == nullptr) return std::nullopt;
  return Definition{std::string(builtin->text), name, 1};
}

std::shared_ptr<const TypeDescription> TypeCatalog::make_service(const std::string& name,
                                                                 const Definition& service) {
  split_service(service);  // throws where it is none
  TypeDescription whole;
  whole.name = name;
  whole.definition = service.text;
  whole.fields.push_back(message_field("request_message", make(name + "_Request", {}), false));
  whole.fields.push_back(message_field("response_message", make(name + "_Response", {}), false));
  whole.fields.push_back(message_field("event_message", make(name + "_Event", {}), false));
  return finish(std::move(whole));
}

std::shared_ptr<const TypeDescription> TypeCatalog::make_event(const std::string& name,
                                                               const std::string& service) {
  TypeDescription event;
  event.name = name;
  event.fields.push_back(
      message_field("info", make("service_msgs/msg/ServiceEventInfo", name + ": "), false));
  event.fields.push_back(message_field("request", make(service + "_Request", {}), true));
  event.fields.push_back(message_field("response", make(service + "_Response", {}), true));
  return finish(std::move(event));
}

std::shared_ptr<const TypeDescription> TypeCatalog::make_service_part(const std::string& name) {
  const std::size_t underscore = name.rfind('_');
  const std::string suffix = underscore == std::string::npos ? "" : name.substr(underscore);
  const bool is_half = suffix == "_Request" || suffix == "_Response";
  if (const auto own = find(name)) return is_half ? make_from(name, *own) : make_service(name, *own);
  if (!is_half && suffix != "_Event") return nullptr;
  const std::string service = name.substr(0, underscore);
  const auto definition = find(service);
  if (!definition) return nullptr;
  if (suffix == "_Event") return make_event(name, service);
  const auto [request, response] = split_service(*definition);
  return make_from(name, suffix == "_Request" ? request : response);
}

std::shared_ptr<const TypeDescription> TypeCatalog::finish(TypeDescription description) {
  if (description.fields.empty()) {
    FieldDescription nothing;
    nothing.name = kEmptyMessageField;
    nothing.kind = FieldKind::kUint8;
    description.fields.push_back(std::move(nothing));
  }
  for (const FieldDescription& field : description.fields) {
    description.at_least += at_least(field);
    if (description.at_least > kLargestFixed) {
      throw SetupError(fmt::format("{}.{}: an array of more than 1 GiB", description.name, field.name));
    }
  }
  return std::make_shared<const TypeDescription>(std::move(description));
}

void TypeCatalog::throw_unknown(const std::string& name, const std::string& wanted_by) const {
  const NameParts wanted = parts_of(name);
  std::vector<std::string> near;
  for (const std::string& known : names()) {
    const NameParts parts = parts_of(known);
    if (parts.type == wanted.type || (wanted.type.empty() && parts.type == name)) near.push_back(known);
  }
  const std::string fix = near.empty() ? "give the folder that holds its .msg file, or list what is known"
                                       : fmt::format("known by that name: {}", fmt::join(near, ", "));
  throw SetupError(fmt::format("{}the type {} is unknown", wanted_by, name), fix);
}

}  // namespace takt::msgs

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "takt/msgs/fields.hpp"
#include "takt/msgs/member_kinds.hpp"
#include "takt/msgs/type_catalog.hpp"
#include "takt/msgs/type_hash.hpp"

namespace takt::msgs {

/// A service type, whose parts are known.
template <typename T>
concept HasServiceParts = requires {
  typename Fields<T>::Request;
  typename Fields<T>::Response;
};

namespace detail {

/// Adds the definitions of a type and of all its members' types to a catalog; the visitor of
/// Fields<T>::layout.
struct DefinitionCollector {
  TypeCatalog& catalog;

  template <typename T>
  bool field(std::size_t = 0) {
    if constexpr (kIsArray<T> || kIsSequence<T>) {
      return field<typename T::value_type>();
    } else if constexpr (HasFields<T>) {
      catalog.add_definition(Fields<T>::kName, {Fields<T>::kDefinition, Fields<T>::kName, 1});
      return Fields<T>::layout(*this);
    } else if constexpr (HasServiceParts<T>) {
      catalog.add_definition(Fields<T>::kName, {Fields<T>::kDefinition, Fields<T>::kName, 1});
      return field<typename Fields<T>::Request>() && field<typename Fields<T>::Response>();
    } else {
      return true;
    }
  }
};

}  // namespace detail

/// What is known at run time of a message or service type that the program was compiled with. The first call
/// parses definitions and allocates; later ones are wait-free.
template <typename T>
requires HasFields<T> || HasServiceParts<T>
const TypeDescription& describe() {
  static const std::shared_ptr<const TypeDescription> kDescription = [] {
    TypeCatalog catalog;
    detail::DefinitionCollector{catalog}.field<T>();
    return catalog.get(Fields<T>::kName);
  }();
  return *kDescription;
}

/// The type's RIHS01 hash, as describe().
template <typename T>
requires HasFields<T> || HasServiceParts<T>
const std::string& type_hash() {
  static const std::string kHash = type_hash(describe<T>());
  return kHash;
}

}  // namespace takt::msgs

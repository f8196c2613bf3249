// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/graph_rows.hpp"

namespace takt::cli {
namespace {

using nlohmann::ordered_json;
using shm::EndpointQos;

ordered_json milliseconds(Duration value) {
  return value == EndpointQos::kUnlimited ? ordered_json(nullptr) : ordered_json(to_ms(value));
}

ordered_json list_of(const auto& all) {
  auto list = ordered_json::array();
  for (const auto& one : all) list.push_back(to_json(one));
  return list;
}

ordered_json mismatch_json(const Mismatch& one) {
  return {{"publisher_node", one.publisher.node},
          {"publisher_pid", one.publisher.pid},
          {"subscription_node", one.subscription.node},
          {"subscription_pid", one.subscription.pid},
          {"reason", one.reason}};
}

}  // namespace

const char* to_string(EndpointQos::Reliability value) noexcept {
  return value == EndpointQos::Reliability::reliable ? "reliable" : "best_effort";
}

const char* to_string(EndpointQos::Durability value) noexcept {
  return value == EndpointQos::Durability::transient_local ? "transient_local" : "volatile";
}

const char* to_string(EndpointQos::History value) noexcept {
  return value == EndpointQos::History::keep_all ? "keep_all" : "keep_last";
}

ordered_json to_json(const TopicRow& row) {
  return {{"topic", row.name},
          {"types", row.types},
          {"publishers", row.publishers},
          {"subscriptions", row.subscriptions}};
}

ordered_json to_json(const shm::Endpoint& endpoint) {
  const auto& qos = endpoint.qos;
  return {{"topic", endpoint.topic},
          {"node", endpoint.node},
          {"pid", endpoint.pid},
          {"process", endpoint.process},
          {"type", endpoint.type_name},
          {"type_hash", shm::to_string(endpoint.type_hash)},
          {"reliability", to_string(qos.reliability)},
          {"durability", to_string(qos.durability)},
          {"history", to_string(qos.history)},
          {"depth", qos.depth},
          {"deadline_ms", milliseconds(qos.deadline)},
          {"lifespan_ms", milliseconds(qos.lifespan)},
          {"segment", endpoint.segment.empty() ? ordered_json(nullptr) : ordered_json(endpoint.segment)}};
}

ordered_json to_json(const TopicInfo& info) {
  auto mismatches = ordered_json::array();
  for (const auto& one : info.mismatches) mismatches.push_back(mismatch_json(one));
  return {{"topic", info.row.name},
          {"types", info.row.types},
          {"publishers", list_of(info.publishers)},
          {"subscriptions", list_of(info.subscriptions)},
          {"mismatches", std::move(mismatches)}};
}

ordered_json to_json(const NodeRow& row) {
  return {{"node", row.name},
          {"pid", row.pid},
          {"process", row.process},
          {"publishers", list_of(row.publishers)},
          {"subscriptions", list_of(row.subscriptions)}};
}

}  // namespace takt::cli

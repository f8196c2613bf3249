// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/transport/shm/endpoint.hpp"

/// What the commands show of a graph, computed from its endpoints alone.
namespace takt::cli {

struct TopicRow {
  std::string name;
  std::vector<std::string> types;  ///< sorted, each once; more than one is a fault of the graph
  std::size_t publishers = 0, subscriptions = 0;
};
/// Sorted by name.
std::vector<TopicRow> topic_rows(std::span<const shm::Endpoint> endpoints);

/// A publisher and a subscription of one topic that exchange nothing.
struct Mismatch {
  shm::Endpoint publisher, subscription;
  std::string reason;
};
struct TopicInfo {
  TopicRow row;
  std::vector<shm::Endpoint> publishers, subscriptions;
  std::vector<Mismatch> mismatches;
};
TopicInfo topic_info(std::span<const shm::Endpoint> endpoints, const std::string& topic);

/// A node of one process. Two of one name are two rows.
struct NodeRow {
  std::string name;
  pid_t pid = 0;
  std::string process;  ///< file name of its lease
  std::vector<shm::Endpoint> publishers, subscriptions;
};
/// Sorted by name.
std::vector<NodeRow> node_rows(std::span<const shm::Endpoint> endpoints);
/// As in ROS 2: the last part of the name begins with an underscore.
bool is_hidden(std::string_view node) noexcept;
/// Names that more than one row has.
std::vector<std::string> repeated_names(std::span<const NodeRow> rows);

const char* to_string(shm::EndpointQos::Reliability value) noexcept;
const char* to_string(shm::EndpointQos::Durability value) noexcept;
const char* to_string(shm::EndpointQos::History value) noexcept;

nlohmann::ordered_json to_json(const TopicRow& row);
nlohmann::ordered_json to_json(const shm::Endpoint& endpoint);
nlohmann::ordered_json to_json(const TopicInfo& info);
nlohmann::ordered_json to_json(const NodeRow& row);

}  // namespace takt::cli

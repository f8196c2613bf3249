// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/graph_rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "takt/transport/shm/matching.hpp"

namespace takt::cli {
namespace {

using shm::Endpoint;
using shm::EndpointKind;

void add_to(std::vector<std::string>& sorted, const std::string& text) {
  const auto at = std::ranges::lower_bound(sorted, text);
  if (at == sorted.end() || *at != text) sorted.insert(at, text);
}

}  // namespace

std::vector<TopicRow> topic_rows(std::span<const Endpoint> endpoints) {
  std::map<std::string, TopicRow> by_name;
  for (const auto& one : endpoints) {
    if (one.kind == EndpointKind::node) continue;
    auto& row = by_name[one.topic];
    row.name = one.topic;
    add_to(row.types, one.type_name);
    ++(one.kind == EndpointKind::publisher ? row.publishers : row.subscriptions);
  }
  std::vector<TopicRow> rows;
  for (auto& [name, row] : by_name) rows.push_back(std::move(row));
  return rows;
}

TopicInfo topic_info(std::span<const Endpoint> endpoints, const std::string& topic) {
  TopicInfo info;
  info.row.name = topic;
  for (const auto& one : endpoints) {
    if (one.topic != topic || one.kind == EndpointKind::node) continue;
    add_to(info.row.types, one.type_name);
    (one.kind == EndpointKind::publisher ? info.publishers : info.subscriptions).push_back(one);
  }
  info.row.publishers = info.publishers.size();
  info.row.subscriptions = info.subscriptions.size();
  for (const auto& publisher : info.publishers) {
    for (const auto& subscription : info.subscriptions) {
      const auto match = compatible(publisher, subscription);
      if (!match) info.mismatches.push_back({publisher, subscription, match.reason});
    }
  }
  return info;
}

std::vector<NodeRow> node_rows(std::span<const Endpoint> endpoints) {
  std::map<std::pair<std::string, std::string>, NodeRow> by_name;
  for (const auto& one : endpoints) {
    auto& row = by_name[{one.node, one.process}];
    row.name = one.node;
    row.pid = one.pid;
    row.process = one.process;
    if (one.kind == EndpointKind::publisher) row.publishers.push_back(one);
    if (one.kind == EndpointKind::subscription) row.subscriptions.push_back(one);
  }
  std::vector<NodeRow> rows;
  for (auto& [name, row] : by_name) rows.push_back(std::move(row));
  return rows;
}

bool is_hidden(std::string_view node) noexcept {
  const auto slash = node.rfind('/');
  const auto last = slash == std::string_view::npos ? node : node.substr(slash + 1);
  return last.starts_with('_');
}

std::vector<std::string> repeated_names(std::span<const NodeRow> rows) {
  std::set<std::string> repeated;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].name == rows[i - 1].name) repeated.insert(rows[i].name);
  }
  return {repeated.begin(), repeated.end()};
}

}  // namespace takt::cli

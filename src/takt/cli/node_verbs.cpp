// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/node_verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "lab/common/errors.hpp"
#include "takt/cli/graph_rows.hpp"
#include "takt/cli/host_session.hpp"
#include "takt/cli/live_options.hpp"
#include "takt/cli/live_report.hpp"
#include "takt/cli/near_matches.hpp"
#include "takt/core/error.hpp"

namespace takt::cli {
namespace {

struct NodeOptions {
  std::string node;
  bool all = false;
  bool json = false;
};

nlohmann::ordered_json row_of(const NodeRow& row) {
  return {{"node", row.name},
          {"pid", row.pid},
          {"process", row.process},
          {"publishers", row.publishers.size()},
          {"subscriptions", row.subscriptions.size()}};
}

int run_node_list(const NodeOptions& options) {
  LiveReport report(options.json);
  HostSession session;
  auto rows = node_rows(session.complete_endpoints());
  if (!options.all) std::erase_if(rows, [](const NodeRow& row) { return is_hidden(row.name); });
  report.warn(session.shortcomings());
  for (const auto& name : repeated_names(rows)) report.warn("more than one process has a node " + name);
  std::string text;
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : rows) {
    text += row.name + "\n";
    list.push_back(row_of(row));
  }
  return report.finish(text, {{"nodes", std::move(list)}});
}

std::string endpoints_text(const char* title, const std::vector<shm::Endpoint>& endpoints) {
  auto text = fmt::format("  {}:\n", title);
  for (const auto& one : endpoints) text += fmt::format("    {}: {}\n", one.topic, one.type_name);
  return text;
}

std::string node_info_text(const std::vector<NodeRow>& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{} (process {})\n", row.name, row.pid);
    text += endpoints_text("Subscriptions", row.subscriptions) + endpoints_text("Publishers", row.publishers);
  }
  return text;
}

[[noreturn]] void throw_unknown_node(const std::string& node, const std::vector<NodeRow>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.name);
  const auto near = near_matches(node, names);
  throw SetupError(fmt::format("no process of this user and domain has the node {}", node),
                   near.empty() ? "takt node list shows what there is"
                                : fmt::format("did you mean {}?", fmt::join(near, " or ")));
}

int run_node_info(const NodeOptions& options) {
  LiveReport report(options.json);
  HostSession session;
  const auto node = options.node.starts_with('/') ? options.node : "/" + options.node;
  const auto all = node_rows(session.complete_endpoints());
  report.warn(session.shortcomings());
  std::vector<NodeRow> rows;
  std::ranges::copy_if(all, std::back_inserter(rows), [&](const NodeRow& row) { return row.name == node; });
  if (rows.empty()) throw_unknown_node(node, all);
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : rows) list.push_back(to_json(row));
  return report.finish(node_info_text(rows), {{"node_info", std::move(list)}});
}

Verb add_node_list(CLI::App& node) {
  auto options = std::make_shared<NodeOptions>();
  CLI::App* parser = node.add_subcommand("list", "names of all nodes of this user and domain");
  parser->add_flag("-a,--all", options->all, "with hidden ones, whose name begins with an underscore");
  add_json(*parser, options->json);
  parser->footer("Example: takt node list --all");
  return {parser, [options] { return run_node_list(*options); }};
}

Verb add_node_info(CLI::App& node) {
  auto options = std::make_shared<NodeOptions>();
  CLI::App* parser = node.add_subcommand("info", "what a node publishes and subscribes to");
  parser->add_option("NODE", options->node, "name of the node")->required();
  add_json(*parser, options->json);
  parser->footer("Example: takt node info /controller");
  return {parser, [options] { return run_node_info(*options); }};
}

}  // namespace

std::vector<Verb> add_node(CLI::App& root) {
  CLI::App* node = root.add_subcommand("node", "look at nodes");
  node->require_subcommand(0, 1);
  node->footer("Example: takt node list");
  std::vector<Verb> verbs{add_node_list(*node), add_node_info(*node)};
  verbs.push_back({node, [node] {
                     std::cerr << node->help();
                     return lab::kUsage;
                   }});
  return verbs;
}

}  // namespace takt::cli

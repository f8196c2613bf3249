// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "lab/common/table.hpp"
#include "takt/cli/graph_rows.hpp"
#include "takt/cli/host_session.hpp"
#include "takt/cli/live_options.hpp"
#include "takt/cli/live_report.hpp"
#include "takt/cli/near_matches.hpp"
#include "takt/cli/topic_verbs.hpp"
#include "takt/core/error.hpp"

namespace takt::cli {
namespace {

struct TopicInfoOptions {
  std::string topic;
  bool verbose = false;
  bool json = false;
};

std::string qos_text(Duration value) {
  return value == shm::EndpointQos::kUnlimited ? "-" : takt::to_string(value);
}

std::string endpoint_table(const char* title, const std::vector<shm::Endpoint>& endpoints) {
  lab::Table table{.title = title};
  for (const char* column : {"node", "type", "reliability", "durability", "history", "hash"})
    table.columns.push_back({column, lab::Align::left});
  for (const char* column : {"pid", "depth", "deadline", "lifespan"}) table.columns.push_back({column});
  for (const auto& one : endpoints) {
    const auto& qos = one.qos;
    table.rows.push_back({one.node, one.type_name, to_string(qos.reliability), to_string(qos.durability),
                          to_string(qos.history), shm::to_string(one.type_hash), std::to_string(one.pid),
                          std::to_string(qos.depth), qos_text(qos.deadline), qos_text(qos.lifespan)});
  }
  return "\n" + lab::to_text(table);
}

std::string topic_info_text(const TopicInfo& info, bool verbose) {
  auto text = fmt::format("Type: {}\nPublisher count: {}\nSubscription count: {}\n",
                          fmt::join(info.row.types, ", "), info.row.publishers, info.row.subscriptions);
  if (verbose && !info.publishers.empty()) text += endpoint_table("Publishers", info.publishers);
  if (verbose && !info.subscriptions.empty()) text += endpoint_table("Subscriptions", info.subscriptions);
  if (!info.mismatches.empty()) text += "\nThese exchange nothing:\n";
  for (const auto& one : info.mismatches) {
    text += fmt::format("  {} -> {}: {}\n", owner_of(one.publisher), owner_of(one.subscription), one.reason);
  }
  return text;
}

[[noreturn]] void throw_unknown_topic(const std::string& topic, std::span<const shm::Endpoint> endpoints) {
  std::vector<std::string> names;
  for (const auto& row : topic_rows(endpoints)) names.push_back(row.name);
  const auto near = near_matches(topic, names);
  throw SetupError(fmt::format("no process of this user and domain has the topic {}", topic),
                   near.empty() ? "takt topic list shows what there is"
                                : fmt::format("did you mean {}?", fmt::join(near, " or ")));
}

int run_topic_info(const TopicInfoOptions& options) {
  LiveReport report(options.json);
  HostSession session;
  const auto endpoints = session.complete_endpoints();
  report.warn(session.shortcomings());
  const auto info = topic_info(endpoints, options.topic);
  if (info.publishers.empty() && info.subscriptions.empty()) throw_unknown_topic(options.topic, endpoints);
  return report.finish(topic_info_text(info, options.verbose), {{"topic_info", to_json(info)}});
}

}  // namespace

Verb add_topic_info(CLI::App& topic) {
  auto options = std::make_shared<TopicInfoOptions>();
  CLI::App* parser =
      topic.add_subcommand("info", "who publishes and subscribes, and which do not match and why");
  add_topic_name(*parser, options->topic);
  parser->add_flag("-v,--verbose", options->verbose, "with node, process, QoS and type hash of each");
  add_json(*parser, options->json);
  parser->footer("Example: takt topic info /chatter -v");
  return {parser, [options] { return run_topic_info(*options); }};
}

}  // namespace takt::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "takt/cli/graph_rows.hpp"
#include "takt/cli/host_session.hpp"
#include "takt/cli/live_options.hpp"
#include "takt/cli/live_report.hpp"
#include "takt/cli/topic_verbs.hpp"

namespace takt::cli {
namespace {

struct TopicListOptions {
  bool types = false;
  bool verbose = false;
  bool json = false;
};

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string section(const std::vector<TopicRow>& rows, std::size_t TopicRow::*count, const char* title,
                    const char* what) {
  auto text = fmt::format("{}:\n", title);
  for (const auto& row : rows) {
    if (row.*count == 0) continue;
    text += fmt::format(" * {} [{}] {}\n", row.name, fmt::join(row.types, ", "), counted(row.*count, what));
  }
  return text;
}

std::string topic_list_text(const std::vector<TopicRow>& rows, const TopicListOptions& options) {
  if (options.verbose) {
    return section(rows, &TopicRow::publishers, "Published topics", "publisher") + "\n" +
           section(rows, &TopicRow::subscriptions, "Subscribed topics", "subscription");
  }
  std::string text;
  for (const auto& row : rows) {
    text += options.types ? fmt::format("{} [{}]\n", row.name, fmt::join(row.types, ", ")) : row.name + "\n";
  }
  return text;
}

int run_topic_list(const TopicListOptions& options) {
  LiveReport report(options.json);
  HostSession session;
  const auto rows = topic_rows(session.complete_endpoints());
  report.warn(session.shortcomings());
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : rows) list.push_back(to_json(row));
  return report.finish(topic_list_text(rows, options), {{"topics", std::move(list)}});
}

}  // namespace

Verb add_topic_list(CLI::App& topic) {
  auto options = std::make_shared<TopicListOptions>();
  CLI::App* parser = topic.add_subcommand("list", "names of all topics of this user and domain");
  parser->add_flag("-t,--show-types", options->types, "with their types");
  parser->add_flag("-v,--verbose", options->verbose,
                   "with types and numbers of publishers and subscriptions");
  add_json(*parser, options->json);
  parser->footer("Example: takt topic list -t");
  return {parser, [options] { return run_topic_list(*options); }};
}

}  // namespace takt::cli

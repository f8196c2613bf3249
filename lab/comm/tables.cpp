// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lab/comm/plan.hpp"
#include "lab/comm/stacks.hpp"

namespace takt::lab::comm {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSamplesForP999 = 1e5;

std::string word(const Json& cell, const char* key) { return cell.at(key).get<std::string>(); }
std::uint32_t subscribers_of(const Json& cell) { return cell.at("subscribers").get<std::uint32_t>(); }

/// What must be known of a cell beside its figures.
std::string remark(const Json& cell) {
  for (const auto* key : {"unsupported", "failed"}) {
    if (!cell.at(key).is_null()) return fmt::format("{}: {}", key, word(cell, key));
  }
  if (cell.at("saturated").get<bool>())
    return fmt::format("saturated at {} Hz", figure_text(cell, "achieved_rate_hz", 0));
  return "";
}

std::string loss_text(const Json& cell) {
  if (cell.at("delivery").is_null()) return "-";
  const double expected = cell.at("sent").get<double>() * subscribers_of(cell);
  const auto lost = cell.at("lost").get<std::uint64_t>();
  return lost == 0 ? "0" : fmt::format("{} ({:.2f} %)", lost, 100 * static_cast<double>(lost) / expected);
}

std::string standing_text(const Json& cell) {
  if (cell.at("takt").is_null()) return "";
  const auto& takt = cell.at("takt");
  auto standing = word(takt, "standing");
  if (takt.at("ratio").is_null()) return standing;
  return fmt::format("{} {:.2f} [{:.2f}, {:.2f}]", standing, takt.at("ratio").get<double>(),
                     takt.at("low").get<double>(), takt.at("high").get<double>());
}

std::string p999_text(const Json& cell) {
  return cell.at("received").get<double>() < kSamplesForP999 ? "-" : figure_text(cell, "p999_us");
}

const Json* cell_of(const Cells& cells, const Json& beside, std::string_view stack) {
  const auto found = std::ranges::find_if(
      cells, [&](const Json& cell) { return cell.at("stack") == stack && same_point(cell, beside); });
  return found == cells.end() || found->at("mean_us").is_null() ? nullptr : &*found;
}

std::string difference_text(const Json* above, const Json* below) {
  if (above == nullptr || below == nullptr) return "-";
  return fmt::format("{:+.1f}", above->at("mean_us").get<double>() - below->at("mean_us").get<double>());
}

std::string matrix_entry(const Json& cell) {
  if (!cell.at("unsupported").is_null()) return "unsupported";
  if (cell.at("mean_us").is_null()) return "failed";
  return fmt::format("{}{}{}", figure_text(cell, "mean_us"), cell.at("saturated").get<bool>() ? " s" : "",
                     cell.at("lost") == 0 ? "" : " l");
}

}  // namespace

std::string payload_text(const Json& cell) {
  return size_text(cell.at("payload_bytes").get<std::uint32_t>()) +
         (cell.at("payload_mapping") == kUntouched ? " untouched" : "");
}

std::string figure_text(const Json& cell, const char* key, int decimals) {
  return cell.at(key).is_null() ? "-" : fmt::format("{:.{}f}", cell.at(key).get<double>(), decimals);
}

bool same_point(const Json& a, const Json& b) {
  return a.at("payload_bytes") == b.at("payload_bytes") &&
         a.at("payload_mapping") == b.at("payload_mapping") && a.at("subscribers") == b.at("subscribers");
}

Table cells_table(const Cells& cells) {
  Table table{
      .title = "Every cell (us; all rounds together)",
      .columns = {{"payload"},
                  {"N"},
                  {"stack", Align::left},
                  {"wake-up", Align::left},
                  {"mean"},
                  {"p50"},
                  {"p99"},
                  {"p99.9"},
                  {"max"},
                  {"publish p99"},
                  {"lost"},
                  {"CPU publish"},
                  {"CPU receive"},
                  {"MiB"},
                  {"takt / this", Align::left},
                  {"", Align::left}},
      .note =
          "CPU: of the whole process, for each message sent and received. MiB: of all processes, shared "
          "pages counted in each. p99.9 needs 100,000 messages. takt / this: ratio of the means, median of "
          "the rounds with its interval; takt of the same wake-up."};
  for (const auto& cell : cells) {
    const auto memory =
        cell.at("rss_kib").is_null() ? "-" : fmt::format("{:.0f}", cell.at("rss_kib").get<double>() / 1024);
    table.rows.push_back({payload_text(cell), std::to_string(subscribers_of(cell)), word(cell, "stack"),
                          word(cell, "wakeup"), figure_text(cell, "mean_us"), figure_text(cell, "p50_us"),
                          figure_text(cell, "p99_us"), p999_text(cell), figure_text(cell, "max_us"),
                          figure_text(cell, "publish_p99_us"), loss_text(cell),
                          figure_text(cell, "publisher_cpu_us"), figure_text(cell, "subscriber_cpu_us"),
                          memory, standing_text(cell), remark(cell)});
  }
  return table;
}

Table matrix_table(const Cells& cells) {
  std::set<std::uint32_t> counts;
  for (const auto& cell : cells) counts.insert(subscribers_of(cell));
  Table table{.title = "Means, us, by payload and subscribers",
              .columns = {{"payload"}, {"stack", Align::left}},
              .note = "s: the rate was not reached. l: messages were lost."};
  for (const auto count : counts) table.columns.push_back({fmt::format("N = {}", count)});
  std::map<std::pair<std::string, std::string>, std::size_t> rows;
  for (const auto& cell : cells) {
    const auto key = std::make_pair(payload_text(cell), word(cell, "stack"));
    const auto [at, is_new] = rows.try_emplace(key, table.rows.size());
    if (is_new) {
      table.rows.push_back({key.first, key.second});
      table.rows.back().resize(table.columns.size());
    }
    const auto column = std::distance(counts.begin(), counts.find(subscribers_of(cell)));
    table.rows[at->second][2 + static_cast<std::size_t>(column)] = matrix_entry(cell);
  }
  return table;
}

Table layers_table(const Cells& cells) {
  Table table{.title = "What each layer adds to the mean of the one below, us",
              .columns = {{"payload"},
                          {"N"},
                          {"kernel: a futex for each reader"},
                          {"+ takt's transport"},
                          {"+ graph and executor"},
                          {"takt"}}};
  for (const auto& cell : cells) {
    if (cell.at("stack") != kBaseline || cell.at("mean_us").is_null()) continue;
    const auto* transport = cell_of(cells, cell, "takt-shm");
    const auto* takt = cell_of(cells, cell, "takt");
    table.rows.push_back({payload_text(cell), std::to_string(subscribers_of(cell)),
                          figure_text(cell, "mean_us"), difference_text(transport, &cell),
                          difference_text(takt, transport),
                          takt == nullptr ? "-" : figure_text(*takt, "mean_us")});
  }
  return table;
}

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#include "lab/common/prediction.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace takt::lab {
namespace {

std::string words_of(const std::optional<bool>& met) {
  if (!met) return "not judged";
  return *met ? "met" : "NOT MET";
}

std::string measured_text(const Prediction& p) {
  if (!p.measured) return "-";
  if (!p.measured_range) return fmt::format("{:.{}f}", *p.measured, p.decimals);
  return fmt::format("{:.{}f} to {:.{}f}", p.measured_range->first, p.decimals, p.measured_range->second,
                     p.decimals);
}

}  // namespace

nlohmann::ordered_json to_json(const Prediction& p) {
  using Json = nlohmann::ordered_json;
  return {{"phase", p.phase},
          {"quantity", p.quantity},
          {"predicted", p.predicted},
          {"measured", p.measured ? Json(*p.measured) : Json()},
          {"published", p.published.empty() ? Json() : Json(p.published)},
          {"met", p.met ? Json(*p.met) : Json()}};
}

Table table_of(const std::vector<Prediction>& predictions) {
  Table table{.title = "What was predicted, and what came out",
              .columns = {{"phase", Align::left},
                          {"quantity", Align::left},
                          {"predicted", Align::left},
                          {"measured"},
                          {"published"},
                          {"", Align::left}}};
  for (const auto& p : predictions) {
    table.rows.push_back({p.phase, p.quantity, p.predicted, measured_text(p),
                          p.published.empty() ? "-" : p.published, words_of(p.met)});
  }
  return table;
}

}  // namespace takt::lab

// SPDX-License-Identifier: Apache-2.0
#include "lab/common/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "lab/common/resources.hpp"

namespace takt::lab {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::neutral:
      break;
  }
  return "neutral";
}

double rounded(double value) {  // five digits: more cannot be seen, and the page stays small
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

/// (x, share of the samples at or above x): every one of the hundred largest, then ever fewer.
Json points_of_distribution(std::vector<double> values) {
  std::ranges::sort(values, std::greater<>());
  Json points = Json::array();
  const auto count = static_cast<double>(values.size());
  for (std::size_t rank = 1; rank <= values.size();) {
    points.push_back({rounded(values[rank - 1]), static_cast<double>(rank) / count});
    const auto next = rank < 100 ? rank + 1 : rank + rank / 40;
    rank = rank < values.size() ? std::min(next, values.size()) : rank + 1;
  }
  return points;
}

/// (time, value): of each of 700 stretches of the run the smallest and the largest.
Json points_over_time(const Series& series) {
  Json points = Json::array();
  const auto count = std::min(series.values.size(), series.at_s.size());
  const auto stretch = std::max<std::size_t>(1, count / 700);
  for (std::size_t begin = 0; begin < count; begin += stretch) {
    const auto first = series.values.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = series.values.begin() + static_cast<std::ptrdiff_t>(std::min(begin + stretch, count));
    const auto [low, high] = std::minmax_element(first, last);
    for (const auto& extreme : {low, high}) {
      const auto index = static_cast<std::size_t>(extreme - series.values.begin());
      points.push_back({rounded(series.at_s[index]), rounded(*extreme)});
      if (low == high) break;
    }
  }
  return points;
}

/// The decades' tenths around all positive values, so that a logarithmic axis wastes no room.
std::pair<double, double> range_of(const Chart& chart) {
  double low = std::numeric_limits<double>::max();
  double high = 0;
  const auto include = [&](double value) {
    if (!(value > 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const auto& series : chart.series) std::ranges::for_each(series.values, include);
  for (const auto& mark : chart.marks) include(mark.value);
  if (high == 0) return {0.1, 10};
  const auto step = [](double value, auto rounding) {
    const double decade = std::pow(10.0, std::floor(std::log10(value)));
    return rounding(value / decade) * decade;
  };
  low = step(low * 0.98, [](double v) { return std::floor(v); });
  high = step(high * 1.02, [](double v) { return std::ceil(v); });
  return {low, high};
}

Json points_of_line(const Series& series) {
  Json points = Json::array();
  for (std::size_t i = 0; i < series.values.size(); ++i)
    points.push_back({rounded(series.at_s[i]), rounded(series.values[i])});
  return points;
}

Json points_of(const Chart& chart, const Series& series) {
  switch (chart.kind) {
    case Chart::Kind::distribution:
      return points_of_distribution(series.values);
    case Chart::Kind::lines:
      return points_of_line(series);
    case Chart::Kind::over_time:
      break;
  }
  return points_over_time(series);
}

const char* name_of(Chart::Kind kind) {
  return kind == Chart::Kind::distribution ? "distribution"
         : kind == Chart::Kind::lines      ? "lines"
                                           : "over_time";
}

Json to_json(const Chart& chart) {
  Json all = Json::array();
  for (const auto& series : chart.series) {
    all.push_back({{"label", series.label},
                   {"tone", name_of(series.tone)},
                   {"joined", series.joined},
                   {"points", points_of(chart, series)}});
  }
  Json marks = Json::array();
  for (const auto& mark : chart.marks) marks.push_back({{"label", mark.label}, {"value", mark.value}});
  Json spans = Json::array();
  for (const auto& span : chart.spans)
    spans.push_back({{"label", span.label}, {"from", rounded(span.from_s)}, {"to", rounded(span.to_s)}});
  const auto [low, high] = range_of(chart);
  return {{"kind", name_of(chart.kind)}, {"quantity", chart.quantity}, {"along", chart.along},
          {"range", {low, high}},        {"linear", chart.linear},     {"series", std::move(all)},
          {"marks", std::move(marks)},   {"seconds", chart.seconds},   {"spans", std::move(spans)}};
}

/// JSON inside of a script element: a "<" could end it.
std::string for_script(const Json& json) {
  std::string out;
  for (const char c : json.dump()) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

/// What a cell is: a text that needs room, a verdict that must be seen, or neither.
std::string classes_of(const std::string& text, Align align) {
  std::string classes = align == Align::left ? "left" : "";
  if (text == "MISSED" || text == "NOT MET") classes += " miss";
  if (text.size() > 40) classes += " long";
  return classes;
}

std::string cell_html(const std::string& text, Align align, const char* element) {
  return fmt::format("<{0} class=\"{1}\">{2}</{0}>", element, classes_of(text, align), escape_html(text));
}

std::string limit_text(const std::optional<std::uint64_t>& limit) {
  return limit ? std::to_string(*limit) : "unlimited";
}

std::string cgroup_text(const std::optional<CgroupUsage>& group) {
  if (!group) return "none with a CPU controller";
  const auto quota = group->quota ? fmt::format("{:g} CPUs", *group->quota) : "no quota";
  return fmt::format("version {}, {}; throttled in {} of {} periods, {:.1f} ms", group->version, quota,
                     group->nr_throttled, group->nr_periods, group->throttled_usec / 1000);
}

std::string runtime_text(const std::optional<std::int64_t>& runtime) {
  if (!runtime) return "unknown";
  return *runtime < 0 ? "never throttled" : fmt::format("{} us of each period", *runtime);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Report::Report(std::string title, std::string_view subtitle) : title_(std::move(title)) {
  body_ =
      fmt::format("<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n", escape_html(title_), escape_html(subtitle));
}

void Report::verdict(std::string_view sentence, Tone tone) {
  body_ += fmt::format("<p class=\"verdict {}\">{}</p>\n", name_of(tone), escape_html(sentence));
}

void Report::heading(std::string_view text) { body_ += fmt::format("<h2>{}</h2>\n", escape_html(text)); }

void Report::paragraph(std::string_view text) { body_ += fmt::format("<p>{}</p>\n", escape_html(text)); }

void Report::table(const Table& table) {
  body_ +=
      fmt::format("<div class=\"scroll\"><table{}>\n", table.columns.size() > 8 ? " class=\"wide\"" : "");
  if (!table.title.empty()) body_ += fmt::format("<caption>{}</caption>\n", escape_html(table.title));
  body_ += "<thead><tr>";
  for (const auto& column : table.columns) body_ += cell_html(column.header, column.align, "th");
  body_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    body_ += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) body_ += cell_html(row[c], table.columns[c].align, "td");
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table>";
  if (!table.note.empty()) body_ += fmt::format("<p class=\"note\">{}</p>", escape_html(table.note));
  body_ += "</div>\n";
}

void Report::chart(const Chart& chart) {
  body_ += fmt::format(
      "<figure><h3>{}</h3><div class=\"plot{}\"><canvas id=\"chart-{}\" role=\"img\" "
      "aria-label=\"{}\"></canvas></div>",
      escape_html(chart.title), chart.seconds > 0 ? " panel" : "", charts_.size(),
      escape_html(chart.title + ": " + chart.quantity));
  if (!chart.note.empty()) body_ += fmt::format("<figcaption>{}</figcaption>", escape_html(chart.note));
  body_ += "</figure>\n";
  charts_.push_back(to_json(chart));
}

void Report::environment(const Environment& e) {
  const auto preemption =
      e.preemption == "unknown" ? "unknown (the kernel tells it to root in debugfs only)" : e.preemption;
  Table facts{.columns = {{"what", Align::left}, {"value", Align::left}}};
  facts.rows = {{"kernel", e.kernel},
                {"preemption model", preemption},
                {"CPU", fmt::format("{} ({} cores online)", e.cpu_model, e.cpus_online)},
                {"frequency governor", e.governor},
                {"virtualization", e.virtualization},
                {"stolen by the hypervisor", fmt::format("{:.2f} % of the CPU time", e.steal_pct)},
                {"control group", cgroup_text(e.cgroup)},
                {"limits", fmt::format("rtprio {}, memlock {} bytes", limit_text(e.rtprio_limit),
                                       limit_text(e.memlock_limit))},
                {"real-time throttling", runtime_text(e.rt_runtime_us)},
                {"timer slack", fmt::format("{} ns (ordinary threads)", e.timer_slack_ns)},
                {"cores kept awake", e.keep_awake ? "yes" : "no"},
                {"load", e.load.command.empty() ? "none" : e.load.command},
                {"takt", e.takt_version},
                {"compiler", e.compiler}};
  table(facts);
}

void Report::command(std::string_view line) { body_ += fmt::format("<pre>{}</pre>\n", escape_html(line)); }

void Report::files(const std::vector<std::string>& names) {
  body_ += "<ul>\n";
  for (const auto& name : names)
    body_ += fmt::format("<li><a href=\"{0}\">{0}</a></li>\n", escape_html(name));
  body_ += "</ul>\n";
}

std::string Report::html() const {
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n", escape_html(title_),
                      resources::report_css());
  page += fmt::format("<body>\n<main>\n{}</main>\n", body_);
  if (!charts_.empty()) {
    page += fmt::format("<script type=\"application/json\" id=\"charts\">{}</script>\n", for_script(charts_));
    page += fmt::format("<script>{}</script>\n<script>\n{}</script>\n", resources::chart_js(),
                        resources::report_js());
  }
  return page + "</body>\n</html>\n";
}

}  // namespace takt::lab

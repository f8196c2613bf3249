// SPDX-License-Identifier: Apache-2.0
#include "lab/common/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lab/common/resources.hpp"

namespace takt::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

nlohmann::json charts_of(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"charts\">";
  const auto begin = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

Chart chart_of(Chart::Kind kind, Series series) {
  Chart chart;
  chart.kind = kind;
  chart.title = "Latency";
  chart.quantity = "ms";
  chart.series.push_back(std::move(series));
  return chart;
}

TEST(ReportTest, ResourcesAreCompiledIn) {
  EXPECT_THAT(std::string(resources::chart_js()), HasSubstr("Chart.js v"));
  EXPECT_GT(resources::chart_js().size(), 50'000U);
  EXPECT_THAT(std::string(resources::report_css()), HasSubstr("@media print"));
  EXPECT_EQ(resources::chart_js().find("</script"), std::string_view::npos);
}

TEST(ReportTest, EverythingIsEscaped) {
  const std::string evil = "<script>alert('&\"')</script>";
  Report report(evil, evil);
  report.verdict(evil, Tone::good);
  report.heading(evil);
  report.paragraph(evil);
  report.table({evil, {{evil, Align::left}}, {{evil}}, evil});
  report.command(evil);
  report.files({evil});
  auto chart = chart_of(Chart::Kind::distribution, {evil, {1.0, 2.0}, {}, Tone::bad});
  chart.title = chart.quantity = chart.note = evil;
  report.chart(chart);
  const auto html = report.html();
  EXPECT_THAT(html, Not(HasSubstr(evil)));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(charts_of(html)[0]["series"][0]["label"], evil);
}

TEST(ReportTest, NothingIsFetched) {
  Report report("Title", "");
  report.chart(chart_of(Chart::Kind::distribution, {"a", {1.0}, {}, Tone::good}));
  const auto html = report.html();
  for (const auto* fetch : {"src=", "@import", "<link", "url("}) EXPECT_THAT(html, Not(HasSubstr(fetch)));
}

TEST(ReportTest, APageWithoutChartsNeedsNoScript) {
  EXPECT_THAT(Report("Title", "").html(), Not(HasSubstr("<script")));
}

TEST(ReportTest, TheTailIsKeptExactly) {
  std::vector<double> values(10'000, 1.0);
  values[1234] = 77;
  values[5] = 50;
  Report report("t", "");
  report.chart(chart_of(Chart::Kind::distribution, {"a", values, {}, Tone::good}));
  const auto points = charts_of(report.html())[0]["series"][0]["points"];
  EXPECT_EQ(points[0], (nlohmann::json{77.0, 0.0001}));
  EXPECT_EQ(points[1], (nlohmann::json{50.0, 0.0002}));
  EXPECT_EQ(points.back(), (nlohmann::json{1.0, 1.0}));
  EXPECT_LT(points.size(), 500U);
}

TEST(ReportTest, OverTimeKeepsTheExtremes) {
  std::vector<double> values(7'000, 2.0);
  std::vector<double> at_s;
  for (std::size_t k = 0; k < values.size(); ++k) at_s.push_back(static_cast<double>(k) * 0.01);
  values[4321] = 99;
  values[100] = 1;
  Report report("t", "");
  report.chart(chart_of(Chart::Kind::over_time, {"a", values, at_s, Tone::good}));
  const auto points =
      charts_of(report.html())[0]["series"][0]["points"].get<std::vector<std::vector<double>>>();
  EXPECT_THAT(points, testing::Contains(std::vector<double>{43.21, 99}));
  EXPECT_THAT(points, testing::Contains(std::vector<double>{1, 1}));
  EXPECT_LE(points.size(), 1'500U);
}

TEST(ReportTest, TheAxisHoldsEverythingThatIsShown) {
  auto chart = chart_of(Chart::Kind::distribution, {"a", {7.2, 64.0, 0.0, -1.0}, {}, Tone::good});
  chart.marks.push_back({"published", 110});
  Report report("t", "");
  report.chart(chart);
  const auto range = charts_of(report.html())[0]["range"];
  EXPECT_DOUBLE_EQ(range[0], 7);
  EXPECT_DOUBLE_EQ(range[1], 200);
}

TEST(ReportTest, NoSamplesAreNoError) {
  Report report("t", "");
  report.chart(chart_of(Chart::Kind::distribution, {"a", {}, {}, Tone::good}));
  report.chart(chart_of(Chart::Kind::over_time, {"a", {}, {}, Tone::good}));
  EXPECT_EQ(charts_of(report.html()).size(), 2U);
}

TEST(ReportTest, TheEnvironmentIsATable) {
  Report report("t", "");
  Environment environment;
  environment.kernel = "6.1 <rt>";
  environment.preemption = "unknown";
  environment.keep_awake = true;
  report.environment(environment);
  EXPECT_THAT(report.html(), HasSubstr("6.1 &lt;rt&gt;"));
  EXPECT_THAT(report.html(), HasSubstr("debugfs"));
}

}  // namespace
}  // namespace takt::lab

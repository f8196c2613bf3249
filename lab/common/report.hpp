// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lab/common/environment.hpp"
#include "lab/common/table.hpp"

namespace takt::lab {

enum class Tone { good, bad, neutral };

/// Samples of one thing in one run.
struct Series {
  std::string label;
  std::vector<double> values;
  std::vector<double> at_s;   ///< time of each; needed for a time series only
  Tone tone = Tone::neutral;  ///< its colour; several of one tone get shades of it
  bool joined = false;        ///< over time: a line from sample to sample
};

/// A figure to compare with: a vertical line in a distribution, a horizontal one in a time series.
struct Mark {
  std::string label;
  double value = 0;
};

/// A stretch of a run, shaded in a time series.
struct Span {
  std::string label;
  double from_s = 0;
  double to_s = 0;
};

struct Chart {
  /// distribution: the share of the samples that are above x, both axes logarithmic: tails are what matters
  /// here. over_time: every sample (thinned, extremes kept) over the run. lines: `values` over `at_s`, which
  /// is then whatever `along` says (a number of subscribers), both axes logarithmic.
  enum class Kind { distribution, over_time, lines };
  Kind kind = Kind::distribution;
  std::string title;
  std::string quantity;  ///< label of the axis, with the unit: "end to end, ms"
  std::vector<Series> series;
  std::vector<Mark> marks;
  std::string note;
  bool linear = false;        ///< over_time: a linear axis, which shows zero and below
  double seconds = 0;         ///< over_time: the length of the time axis, so that charts of one run line up;
                              ///< 0: as long as the samples need
  std::vector<Span> spans{};  ///< over_time
  std::string along;          ///< lines: label of the other axis
};

/// One page, complete in itself: charts, styles and data are in the file, which opens offline and prints.
/// All text is plain and is escaped here.
class Report {
 public:
  Report(std::string title, std::string_view subtitle);

  /// The verdict in one sentence, first on the page.
  void verdict(std::string_view sentence, Tone tone);
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void table(const Table& table);
  void chart(const Chart& chart);
  void environment(const Environment& environment);
  void command(std::string_view line);
  void files(const std::vector<std::string>& names);

  std::string html() const;

 private:
  std::string title_;
  std::string body_;
  nlohmann::ordered_json charts_ = nlohmann::ordered_json::array();
};

/// The text with & < > " ' as entities.
std::string escape_html(std::string_view text);

}  // namespace takt::lab

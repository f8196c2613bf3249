// SPDX-License-Identifier: Apache-2.0
#include "lab/deadlines/clock_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/common/errors.hpp"

namespace takt::lab::deadlines {
namespace {

using Line = nlohmann::json;

constexpr const char* kLogFix =
    "build and install the whole of one version: the command takt writes this log";

double number_in(const Line& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number())
    throw CannotMeasure(fmt::format("'{}' is missing or no number", key));
  return found->get<double>();
}

std::int64_t whole_number_in(const Line& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer())
    throw CannotMeasure(fmt::format("'{}' is missing or no whole number", key));
  return found->get<std::int64_t>();
}

std::uint64_t count_in(const Line& object, const char* key) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, whole_number_in(object, key)));
}

std::string text_in(const Line& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

SteadyTime time_in(const Line& line, const char* key = "at_ns") {
  return SteadyTime{Duration{whole_number_in(line, key)}};
}

Duration from_ms(double ms) {
  if (!std::isfinite(ms) || std::abs(ms) > 1e12) throw CannotMeasure("a duration is out of range");
  return Duration{std::llround(ms * 1e6)};
}

/// The late steps are told since the first one.
std::vector<LateStep> late_steps(const Line& line) {
  std::vector<LateStep> steps;
  const auto verdict = line.find("verdict");
  if (verdict == line.end() || !verdict->is_object())
    throw CannotMeasure("'verdict' is missing or no object");
  const auto misses = verdict->find("last_misses");
  if (misses == verdict->end() || !misses->is_array() || misses->empty()) return steps;
  const SteadyTime first = time_in(line, "first_tick_ns");
  for (const auto& miss : *misses) {
    if (!miss.is_object()) throw CannotMeasure("an entry of 'last_misses' is no object");
    steps.push_back({.at = first + from_ms(number_in(miss, "at_s") * 1e3),
                     .response_ms = number_in(miss, "response_ms"),
                     .cause = text_in(miss, "cause"),
                     .detail = text_in(miss, "detail")});
  }
  return steps;
}

ClockEnd end_of(const Line& line) {
  return {.iterations = count_in(line, "iterations"),
          .late = count_in(line, "late"),
          .dropped_ms = number_in(line, "dropped_ms"),
          .late_steps = late_steps(line),
          .lost_events = count_in(line, "lost_events")};
}

class Reader {
 public:
  void take(std::string_view text) {
    const auto line = Line::parse(text, nullptr, false);
    if (!line.is_object()) throw CannotMeasure("no JSON object");
    const auto report = line.value("report", Line());
    if (!report.is_string()) throw CannotMeasure("'report' is missing or no string");
    if (report == "start") started_ = true;
    if (!started_) throw CannotMeasure("the first line does not report \"start\"");
    if (report == "gap")
      log_.gaps.push_back({.at = time_in(line), .length = from_ms(number_in(line, "gap_ms"))});
    if (report == "end") log_.end = end_of(line);
    if (report == "sample") sample(line);
  }
  ClockLog log() && {
    if (!started_) throw CannotMeasure("the clock's log is empty", kLogFix);
    return std::move(log_);
  }

 private:
  void sample(const Line& line) {
    const ClockSample sample{.at = time_in(line),
                             .sim = ClockTime{Duration{whole_number_in(line, "sim_ns")}}};
    if (!log_.samples.empty() && (sample.at < log_.samples.back().at || sample.sim < log_.samples.back().sim))
      throw CannotMeasure("time goes backwards");
    log_.samples.push_back(sample);
  }

  ClockLog log_;
  bool started_ = false;
};

}  // namespace

ClockLog read_clock_log(std::string_view text) {
  Reader reader;
  std::size_t number = 0;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    ++number;
    try {
      reader.take(text.substr(0, end));
    } catch (const std::exception& error) {
      throw CannotMeasure(fmt::format("the clock's log, line {}: {}", number, error.what()), kLogFix);
    }
    text.remove_prefix(end + 1);
  }
  return std::move(reader).log();
}

std::optional<Rtf> rtf_between(const std::vector<ClockSample>& samples, SteadyTime first, SteadyTime last) {
  std::vector<ClockSample> inside;
  for (const auto& sample : samples) {
    const bool later = inside.empty() || sample.at > inside.back().at;
    if (sample.at >= first && sample.at <= last && later) inside.push_back(sample);
  }
  if (inside.size() < 2) return std::nullopt;
  const auto factor = [](const ClockSample& a, const ClockSample& b) {
    return to_ms(b.sim - a.sim) / to_ms(b.at - a.at);
  };
  Rtf rtf{.whole = factor(inside.front(), inside.back()), .windows = {}};
  for (std::size_t i = 1; i < inside.size(); ++i) {
    rtf.windows.push_back({inside[i - 1].at, inside[i].at, factor(inside[i - 1], inside[i])});
  }
  const auto [least, most] = std::ranges::minmax_element(rtf.windows, {}, &RtfWindow::factor);
  rtf.least = least->factor;
  rtf.most = most->factor;
  return rtf;
}

}  // namespace takt::lab::deadlines

// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/meters.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "lab/common/distribution.hpp"

namespace takt::cli {
namespace {

double mean_of(const std::deque<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

template <class T>
void push_bounded(std::deque<T>& values, const T& value, std::size_t most) {
  values.push_back(value);
  if (values.size() > most) values.pop_front();
}

std::string bytes_text(double bytes) {
  constexpr double kKilo = 1000;
  if (bytes < kKilo) return fmt::format("{:.0f} B", bytes);
  if (bytes < kKilo * kKilo) return fmt::format("{:.2f} kB", bytes / kKilo);
  return fmt::format("{:.2f} MB", bytes / (kKilo * kKilo));
}

}  // namespace

/// Messages of several publishers come in an order that their times may not have.
void RateMeter::add(const Sample& sample) {
  const auto time = sample.published;
  if (count_++ == 0) {
    first_ = last_ = gap_begin_ = time;
    return;
  }
  const auto interval = std::max(time - last_, Duration::zero());
  if (interval > longest_gap_) {
    longest_gap_ = interval;
    gap_begin_ = last_;
  }
  push_bounded(intervals_, to_ms(interval), std::max<std::size_t>(window_, 2) - 1);
  last_ = std::max(last_, time);
}

RateMeter::Figures RateMeter::figures() const {
  if (intervals_.empty()) return {};
  Figures f;
  f.mean_ms = mean_of(intervals_);
  f.rate_hz = f.mean_ms > 0 ? 1000 / f.mean_ms : 0;
  f.min_ms = std::ranges::min(intervals_);
  f.max_ms = std::ranges::max(intervals_);
  double squares = 0;
  for (const double one : intervals_) squares += (one - f.mean_ms) * (one - f.mean_ms);
  f.std_dev_ms = std::sqrt(squares / static_cast<double>(intervals_.size()));
  return f;
}

std::string RateMeter::text(SteadyTime now, std::chrono::system_clock::time_point calendar) const {
  const auto f = figures();
  const auto began = std::chrono::time_point_cast<std::chrono::milliseconds>(
      calendar - std::chrono::duration_cast<std::chrono::system_clock::duration>(now - gap_begin_));
  const auto part = began.time_since_epoch() % std::chrono::seconds{1};
  return fmt::format(
      "average rate: {:.3f}\n"
      "  min: {:.3f} ms max: {:.3f} ms std dev: {:.3f} ms window: {} of {} messages\n"
      "  longest gap: {:.3f} ms, which began at {:%H:%M:%S}.{:03} ({:.3f} s after the first message)",
      f.rate_hz, f.min_ms, f.max_ms, f.std_dev_ms, intervals_.size() + 1, count_, to_ms(longest_gap_),
      fmt::localtime(std::chrono::system_clock::to_time_t(began)), part.count(),
      to_seconds(gap_begin_ - first_));
}

nlohmann::ordered_json RateMeter::json(SteadyTime now) const {
  const auto f = figures();
  return {{"count", count_},
          {"window", intervals_.size() + 1},
          {"rate_hz", f.rate_hz},
          {"mean_ms", f.mean_ms},
          {"min_ms", f.min_ms},
          {"max_ms", f.max_ms},
          {"std_dev_ms", f.std_dev_ms},
          {"longest_gap_ms", to_ms(longest_gap_)},
          {"longest_gap_at_s", to_seconds(gap_begin_ - first_)},
          {"longest_gap_at_ns", gap_begin_.time_since_epoch().count()},
          {"silent_for_ms", to_ms(now - last_)}};
}

void BandwidthMeter::add(const Sample& sample) {
  ++count_;
  push_bounded(samples_, sample, std::max<std::size_t>(window_, 2));
}

/// The first message only begins the time.
BandwidthMeter::Figures BandwidthMeter::figures() const {
  if (samples_.size() < 2) return {};
  Figures f;
  std::size_t all = 0;
  f.least = f.most = samples_.front().bytes;
  for (const auto& one : samples_) {
    all += one.bytes;
    f.least = std::min(f.least, one.bytes);
    f.most = std::max(f.most, one.bytes);
  }
  f.mean = static_cast<double>(all) / static_cast<double>(samples_.size());
  const double seconds = to_seconds(samples_.back().received - samples_.front().received);
  if (seconds > 0) f.bytes_per_s = static_cast<double>(all - samples_.front().bytes) / seconds;
  return f;
}

std::string BandwidthMeter::text(SteadyTime, std::chrono::system_clock::time_point) const {
  const auto f = figures();
  return fmt::format("{}/s from {} of {} messages\n  message size mean: {} min: {} max: {}",
                     bytes_text(f.bytes_per_s), samples_.size(), count_, bytes_text(f.mean),
                     bytes_text(static_cast<double>(f.least)), bytes_text(static_cast<double>(f.most)));
}

nlohmann::ordered_json BandwidthMeter::json(SteadyTime) const {
  const auto f = figures();
  return {{"count", count_},      {"window", samples_.size()}, {"bytes_per_s", f.bytes_per_s},
          {"mean_bytes", f.mean}, {"min_bytes", f.least},      {"max_bytes", f.most}};
}

void DelayMeter::add(const Sample& sample) {
  if (count_++ == 0) begin_ = sample.received;
  push_bounded(delays_us_, to_us(sample.received - sample.published), window_);
  push_bounded(at_s_, to_seconds(sample.received - begin_), window_);
}

std::string DelayMeter::text(SteadyTime, std::chrono::system_clock::time_point) const {
  const std::vector<double> delays(delays_us_.begin(), delays_us_.end());
  const auto d = lab::distribution_of(delays);
  return fmt::format(
      "delay: mean {:.1f} us p50 {:.1f} us p99 {:.1f} us max {:.1f} us window: {} of {} messages", d.mean,
      d.p50, d.p99, d.max, d.count, count_);
}

nlohmann::ordered_json DelayMeter::json(SteadyTime) const {
  const std::vector<double> delays(delays_us_.begin(), delays_us_.end());
  const std::vector<double> at(at_s_.begin(), at_s_.end());
  return {{"count", count_},
          {"window", delays.size()},
          {"delay_us", lab::to_json(lab::distribution_of(delays, at))}};
}

}  // namespace takt::cli

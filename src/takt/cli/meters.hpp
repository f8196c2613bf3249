// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>

#include "takt/core/time.hpp"

namespace takt::cli {

/// What a meter is told of a message.
struct Sample {
  SteadyTime published;
  SteadyTime received;
  std::size_t bytes = 0;
};

/// Computes figures of a topic's messages as they come. No input or output, no clock.
class Meter {
 public:
  virtual ~Meter() = default;
  virtual void add(const Sample& sample) = 0;
  /// Whether there is anything to report.
  virtual bool ready() const = 0;
  /// For people, without a line end. `now` is the time on both timelines.
  virtual std::string text(SteadyTime now, std::chrono::system_clock::time_point calendar) const = 0;
  /// The same figures.
  virtual nlohmann::ordered_json json(SteadyTime now) const = 0;
};

/// The rate by the times of publication, and the longest gap of all, which a mean hides. Of the newest
/// `window` messages, but the longest gap is of all.
class RateMeter : public Meter {
 public:
  explicit RateMeter(std::size_t window) : window_(window) {}
  void add(const Sample& sample) override;
  bool ready() const override { return !intervals_.empty(); }
  std::string text(SteadyTime now, std::chrono::system_clock::time_point calendar) const override;
  nlohmann::ordered_json json(SteadyTime now) const override;

 private:
  struct Figures {
    double rate_hz = 0, mean_ms = 0, min_ms = 0, max_ms = 0, std_dev_ms = 0;
  };
  Figures figures() const;

  std::size_t window_;
  std::uint64_t count_ = 0;
  SteadyTime first_{}, last_{}, gap_begin_{};
  Duration longest_gap_{};
  std::deque<double> intervals_;  // ms, at most window - 1
};

/// Bytes a second, with encapsulation header.
class BandwidthMeter : public Meter {
 public:
  explicit BandwidthMeter(std::size_t window) : window_(window) {}
  void add(const Sample& sample) override;
  bool ready() const override { return samples_.size() > 1; }
  std::string text(SteadyTime now, std::chrono::system_clock::time_point calendar) const override;
  nlohmann::ordered_json json(SteadyTime now) const override;

 private:
  struct Figures {
    double bytes_per_s = 0, mean = 0;
    std::size_t least = 0, most = 0;
  };
  Figures figures() const;

  std::size_t window_;
  std::uint64_t count_ = 0;
  std::deque<Sample> samples_;
};

/// From publication to reception here.
class DelayMeter : public Meter {
 public:
  explicit DelayMeter(std::size_t window) : window_(window) {}
  void add(const Sample& sample) override;
  bool ready() const override { return !delays_us_.empty(); }
  std::string text(SteadyTime now, std::chrono::system_clock::time_point calendar) const override;
  nlohmann::ordered_json json(SteadyTime now) const override;

 private:
  std::size_t window_;
  std::uint64_t count_ = 0;
  SteadyTime begin_{};
  std::deque<double> delays_us_, at_s_;
};

}  // namespace takt::cli

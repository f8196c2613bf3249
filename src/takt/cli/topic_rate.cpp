// SPDX-License-Identifier: Apache-2.0
// hz, bw and delay: three meters on the same stream.
#include <fmt/format.h>

#include <memory>

#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/options.hpp"
#include "takt/cli/live_options.hpp"
#include "takt/cli/meters.hpp"
#include "takt/cli/topic_stream.hpp"
#include "takt/cli/topic_verbs.hpp"
#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"

namespace takt::cli {
namespace {

constexpr std::size_t kWindow = 10000;  // as ros2
constexpr long long kLargestWindow = 10'000'000;

struct RateOptions {
  std::string topic;
  std::size_t window = kWindow;
  std::optional<double> timeout;
  bool json = false;
};

/// Prints a meter's report.
class Reporter {
 public:
  Reporter(const char* name, const RateOptions& options, const Meter& meter, lab::Console& console)
      : name_(name), options_(options), meter_(meter), console_(console) {}

  void report(SteadyTime now, std::uint64_t lost) const {
    if (!meter_.ready()) return;
    nlohmann::ordered_json line = {{"report", name_}, {"topic", options_.topic}};
    line.update(meter_.json(now));
    line["lost"] = lost;
    console_.json_line(line);
    console_.print(meter_.text(now, std::chrono::system_clock::now()));
  }

 private:
  const char* name_;
  const RateOptions& options_;
  const Meter& meter_;
  lab::Console& console_;
};

/// All publishers of the first one's type. Nothing is decoded, so the definition need not be known.
shm::Endpoint subscription_to(const std::string& topic, std::span<const shm::Endpoint> found) {
  shm::Endpoint wanted{.topic = topic, .type_name = only_type(found), .qos = modest_qos(found)};
  wanted.qos.durability = shm::EndpointQos::Durability::volatile_;  // old messages have no rate and no delay
  return wanted;
}

int measure(const char* name, const RateOptions& options, Meter& meter, lab::Console& console) {
  HostSession session;
  const lab::Interrupt interrupt;
  const auto deadline = deadline_of(options.timeout);
  const auto found = wait_for_topic(session, console, options.topic, deadline);
  if (lab::Interrupt::requested()) return lab::kDone;
  if (found.empty()) throw SetupError(fmt::format("no {} within {} s", options.topic, *options.timeout));

  TopicStream stream(session, console, subscription_to(options.topic, found));
  const Reporter reporter(name, options, meter, console);
  std::uint64_t count = 0;
  std::uint64_t reported = 0;
  const auto take = [&](const StreamMessage& message) {
    meter.add({message.published, message.received, message.bytes.size()});
    ++count;
    return true;
  };
  const auto pause = [&](SteadyTime now) {
    if (std::exchange(reported, count) == count)
      console.message("takt: no new messages on " + options.topic);
    else
      reporter.report(now, stream.lost());
  };
  stream.run(deadline, take, pause);
  reporter.report(SteadyClock::instance()->steady_now(), stream.lost());
  if (count == 0 && !lab::Interrupt::requested())
    throw SetupError(fmt::format("no message on {} within {} s", options.topic, *options.timeout));
  return lab::kDone;
}

template <class OneMeter>
Verb add_measure(CLI::App& topic, const char* name, const char* about, const char* footer) {
  auto options = std::make_shared<RateOptions>();
  CLI::App* parser = topic.add_subcommand(name, about);
  add_topic_name(*parser, options->topic);
  parser->add_option("-w,--window", options->window, "newest messages that the figures are of")
      ->capture_default_str()
      ->check(lab::whole_number(2, kLargestWindow));
  add_timeout(*parser, options->timeout, "end after so long");
  parser->add_flag("--json", options->json, "one JSON document a second on stdout, and nothing else there");
  parser->footer(footer);
  return {parser, [options, name] {
            lab::Console console(options->json);
            OneMeter meter(options->window);
            return console.exit_code(measure(name, *options, meter, console));
          }};
}

}  // namespace

Verb add_topic_hz(CLI::App& topic) {
  return add_measure<RateMeter>(topic, "hz", "rate of a topic, and its longest gap",
                                "By the times of publication; the longest gap is of all messages. Example:\n"
                                "  takt topic hz /scan --window 100");
}

Verb add_topic_bw(CLI::App& topic) {
  return add_measure<BandwidthMeter>(topic, "bw", "bytes a second of a topic",
                                     "Example: takt topic bw /image --timeout 10");
}

Verb add_topic_delay(CLI::App& topic) {
  return add_measure<DelayMeter>(
      topic, "delay", "time from publication to reception",
      "The reception is this command's, which runs at ordinary priority: what a node sees may be shorter.\n"
      "Example: takt topic delay /scan --json");
}

}  // namespace takt::cli

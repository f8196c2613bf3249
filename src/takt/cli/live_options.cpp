// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/live_options.hpp"

#include <limits>

#include "lab/common/options.hpp"
#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/graph/topic_name.hpp"

namespace takt::cli {
namespace {

constexpr double kLongestWait = 86400.0 * 365;
constexpr std::uint32_t kDeepest = 65533;  // a ring has no more

CLI::Validator topic_name() {
  const auto check = [](std::string& text) -> std::string {
    try {
      text = resolve_topic_name(text, "", "takt");
      return "";
    } catch (const SetupError& error) {
      return error.what();
    }
  };
  return {check, "", "topic"};
}

}  // namespace

void add_json(CLI::App& parser, bool& json) {
  parser.add_flag("--json", json, "JSON on stdout, and nothing else there");
}

CLI::Option* add_topic_name(CLI::App& parser, std::string& topic) {
  return parser.add_option("TOPIC", topic, "name of the topic")->required()->transform(topic_name());
}

CLI::Option* add_topic_option(CLI::App& parser, std::string& topic, const char* what) {
  return parser.add_option("--topic", topic, what)->capture_default_str()->transform(topic_name());
}

void add_timeout(CLI::App& parser, std::optional<double>& seconds, const char* what) {
  parser.add_option("--timeout", seconds, what)->check(lab::seconds_up_to(kLongestWait));
}

void add_qos(CLI::App& parser, QosWords& words, const char* default_reliability,
             const char* default_durability) {
  parser.add_option("--qos-reliability", words.reliability, default_reliability)
      ->check(CLI::IsMember({"reliable", "best_effort"}));
  parser.add_option("--qos-durability", words.durability, default_durability)
      ->check(CLI::IsMember({"volatile", "transient_local"}));
  parser.add_option("--qos-depth", words.depth, "messages that are kept")
      ->capture_default_str()
      ->check(lab::whole_number(1, kDeepest));
}

shm::EndpointQos qos_of(const QosWords& words, shm::EndpointQos base) {
  using Qos = shm::EndpointQos;
  if (words.reliability) {
    base.reliability =
        *words.reliability == "reliable" ? Qos::Reliability::reliable : Qos::Reliability::best_effort;
  }
  if (words.durability) {
    base.durability = *words.durability == "transient_local" ? Qos::Durability::transient_local
                                                             : Qos::Durability::volatile_;
  }
  base.depth = words.depth;
  return base;
}

SteadyTime deadline_of(const std::optional<double>& seconds) {
  if (!seconds) return kNever;
  return SteadyClock::instance()->steady_now() +
         checked_duration(std::chrono::duration<double>(*seconds), "--timeout");
}

}  // namespace takt::cli

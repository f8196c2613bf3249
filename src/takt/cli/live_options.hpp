// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "takt/core/time.hpp"
#include "takt/transport/shm/endpoint.hpp"

/// Options that several commands of a live graph have.
namespace takt::cli {

void add_json(CLI::App& parser, bool& json);
/// The positional TOPIC, which becomes a full name: "chatter" is "/chatter".
CLI::Option* add_topic_name(CLI::App& parser, std::string& topic);
/// The option --topic, which becomes a full name.
CLI::Option* add_topic_option(CLI::App& parser, std::string& topic, const char* what);
void add_timeout(CLI::App& parser, std::optional<double>& seconds, const char* what);

struct QosWords {
  std::optional<std::string> reliability, durability;
  std::uint32_t depth = 10;
};
void add_qos(CLI::App& parser, QosWords& words, const char* default_reliability,
             const char* default_durability);
/// `base` with what the words say instead.
shm::EndpointQos qos_of(const QosWords& words, shm::EndpointQos base);

/// kNever without a time-out.
SteadyTime deadline_of(const std::optional<double>& seconds);

}  // namespace takt::cli

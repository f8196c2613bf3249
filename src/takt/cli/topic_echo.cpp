// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/options.hpp"
#include "takt/cli/known_type.hpp"
#include "takt/cli/live_options.hpp"
#include "takt/cli/topic_stream.hpp"
#include "takt/cli/topic_verbs.hpp"
#include "takt/core/error.hpp"
#include "takt/msgs/message_text.hpp"

namespace takt::cli {
namespace {

struct EchoOptions {
  std::string topic, type, field;
  std::vector<std::string> definitions;
  bool once = false, no_arrays = false, no_strings = false, json = false;
  std::uint64_t count = 0;  // 0: no end
  std::size_t truncate = 128;
  bool full_length = false;
  std::optional<double> timeout;
  QosWords qos;
};

msgs::TextOptions text_options(const EchoOptions& options, const msgs::TypeDescription& type) {
  return {.most_elements = options.full_length ? 0 : options.truncate,
          .arrays = !options.no_arrays,
          .strings = !options.no_strings,
          .field = msgs::parse_field_path(type, options.field)};
}

/// The keys of a line before "message", which is JSON text already.
nlohmann::ordered_json line_head(const StreamMessage& message) {
  return {{"report", "message"},
          {"topic", message.publisher.topic},
          {"type", message.publisher.type_name},
          {"node", message.publisher.node},
          {"pid", message.publisher.pid},
          {"sequence", message.sequence},
          {"published_ns", message.published.time_since_epoch().count()},
          {"delay_us", to_us(message.received - message.published)}};
}

/// Prints messages of one type.
class Echo {
 public:
  Echo(const KnownType& type, const EchoOptions& options, lab::Console& console)
      : type_(type),
        text_options_(text_options(options, *type.description)),
        most_(options.once ? 1 : options.count),
        console_(console) {}

  bool take(const StreamMessage& message) {
    std::string text;
    const auto append = console_.json() ? msgs::append_json : msgs::append_yaml;
    if (const auto status = append(*type_.description, message.bytes, text_options_, text); !status) {
      console_.message(fmt::format("takt: message {} of {} on {} is damaged and passed over: {}",
                                   message.sequence, owner_of(message.publisher), message.publisher.topic,
                                   status.text()));
      return true;
    }
    console_.json() ? print_json(message, text) : print_yaml(text);
    ++shown_;
    return most_ == 0 || shown_ < most_;
  }

  std::uint64_t shown() const noexcept { return shown_; }

 private:
  void print_json(const StreamMessage& message, const std::string& text) {
    auto line = line_head(message);
    line["message"] = nlohmann::ordered_json::parse(text);
    console_.json_line(line);
  }
  void print_yaml(const std::string& text) {
    console_.print(fmt::format("{}{}---", text, text.ends_with('\n') || text.empty() ? "" : "\n"));
  }

  const KnownType& type_;
  msgs::TextOptions text_options_;
  std::uint64_t most_;
  lab::Console& console_;
  std::uint64_t shown_ = 0;
};

int echo(const EchoOptions& options, lab::Console& console) {
  std::optional<KnownType> type;
  if (!options.type.empty()) type = find_type(options.type, options.definitions);
  HostSession session;
  const lab::Interrupt interrupt;
  const auto deadline = deadline_of(options.timeout);
  // With a type there is no need to wait: the subscription is announced at once, so that others see it.
  const auto found = wait_for_topic(session, console, options.topic, type ? SteadyTime{} : deadline);
  if (lab::Interrupt::requested()) return lab::kDone;
  if (found.empty() && !type)
    throw SetupError(fmt::format("no {} within {} s", options.topic, *options.timeout));
  if (!type) type = find_type(only_type(found), options.definitions);
  check_definitions(*type, found);

  Echo printer(*type, options, console);
  TopicStream stream(session, console,
                     {.topic = options.topic,
                      .type_name = type->description->name,
                      .type_hash = type->hash,
                      .qos = qos_of(options.qos, modest_qos(found))});
  const bool enough =
      stream.run(deadline, [&](const StreamMessage& message) { return printer.take(message); });
  if (enough || lab::Interrupt::requested()) return lab::kDone;
  const bool wanted_more = options.once || options.count > 0 || printer.shown() == 0;
  if (wanted_more) {
    throw SetupError(fmt::format("{} message{} on {} within {} s", printer.shown(),
                                 printer.shown() == 1 ? "" : "s", options.topic, *options.timeout));
  }
  return lab::kDone;
}

void add_echo_options(CLI::App& parser, EchoOptions& options) {
  add_topic_name(parser, options.topic);
  parser.add_option("TYPE", options.type, "its type; without it, that of the topic");
  parser.add_flag("--once", options.once, "the first message only");
  parser.add_option("--count", options.count, "end after so many messages")
      ->check(lab::whole_number(1, 1'000'000'000'000));
  add_timeout(parser, options.timeout, "end after so long; an error if messages are missing by then");
  parser.add_option("--field", options.field, "only this place: pose.position.x, ranges[3]");
  parser.add_flag("--no-arr", options.no_arrays, "of arrays only type and length");
  parser.add_flag("--no-str", options.no_strings, "of strings only the length");
  parser.add_option("-l,--truncate-length", options.truncate, "elements of arrays and characters of strings")
      ->capture_default_str()
      ->check(lab::whole_number(1, 1'000'000'000));
  parser.add_flag("-f,--full-length", options.full_length, "all elements and characters");
  add_qos(parser, options.qos, "default: as the publishers", "default: as the publishers");
  add_definitions(parser, options.definitions);
  parser.add_flag("--json", options.json, "one JSON document a message on stdout, and nothing else there");
}

}  // namespace

Verb add_topic_echo(CLI::App& topic) {
  auto options = std::make_shared<EchoOptions>();
  CLI::App* parser = topic.add_subcommand("echo", "print the messages of a topic");
  add_echo_options(*parser, *options);
  parser->footer(
      "What is lost or damaged is said on stderr. Examples:\n"
      "  takt topic echo /chatter --once\n"
      "  takt topic echo /scan --field ranges[0] --json | jq .message");
  return {parser, [options] {
            lab::Console console(options->json);
            return console.exit_code(echo(*options, console));
          }};
}

}  // namespace takt::cli

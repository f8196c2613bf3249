// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "lab/common/console.hpp"
#include "lab/common/errors.hpp"
#include "lab/common/interrupt.hpp"
#include "lab/common/options.hpp"
#include "takt/cli/host_session.hpp"
#include "takt/cli/known_type.hpp"
#include "takt/cli/live_options.hpp"
#include "takt/cli/misfits.hpp"
#include "takt/cli/topic_verbs.hpp"
#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/msgs/message_parse.hpp"
#include "takt/msgs/message_text.hpp"
#include "takt/transport/shm/matching.hpp"
#include "takt/transport/shm/writer.hpp"

namespace takt::cli {
namespace {

constexpr double kFastest = 100'000;
constexpr double kSlowest = 0.001;
constexpr Duration kLastMessages = std::chrono::seconds{1};
constexpr Duration kLook = std::chrono::milliseconds{10};

struct PubOptions {
  std::string topic, type, yaml;
  std::vector<std::string> definitions;
  double rate_hz = 1;
  bool once = false, json = false;
  std::uint64_t times = 0;                   // 0: no end
  std::optional<std::size_t> subscriptions;  // to wait for
  QosWords qos;

  std::uint64_t most() const { return once ? 1 : times; }
  /// As ros2: who sends a few wants somebody to hear them.
  std::size_t wanted() const { return subscriptions.value_or(most() > 0 ? 1 : 0); }
};

std::int64_t calendar_ns() {
  return std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()).count();
}

SteadyTime pub_now() { return SteadyClock::instance()->steady_now(); }

/// A publisher of the command, announced.
class CommandPublisher {
 public:
  CommandPublisher(HostSession& session, const KnownType& type, const PubOptions& options)
      : session_(session), type_(*type.description), yaml_(options.yaml) {
    const auto size = shm::kLead + encoded().size();  // the same for every message of this text
    shm::WriterOptions writer{.type_hash = type.hash,
                              .type_name = type_.name,
                              .topic = options.topic,
                              .lease = session.lease_id(),
                              .publisher = number_,
                              .max_size = size,
                              .reserved = size};
    self_ = {.topic = options.topic, .type_name = type_.name, .type_hash = type.hash, .node = session.node()};
    self_.qos = qos_of(options.qos, {});
    writer.depth = self_.qos.depth;
    writer.retained =
        self_.qos.durability == shm::EndpointQos::Durability::transient_local ? writer.depth : 0;
    writer_ = shm::Writer::create(session.domain(), session.bells(), writer);
    self_.segment = writer_->path().filename().string();
    self_.id = session.discovery().add(self_);
  }
  ~CommandPublisher() { session_.discovery().remove(self_.id); }
  CommandPublisher(const CommandPublisher&) = delete;
  CommandPublisher& operator=(const CommandPublisher&) = delete;

  shm::CommitResult publish() {
    const auto bytes = encoded();
    const auto now = pub_now();
    auto filling = writer_->begin_growing(shm::kLead + bytes.size());
    if (filling) {
      std::ranges::fill(filling.bytes().first(shm::kLead), std::byte{0});
      std::ranges::copy(bytes, filling.bytes().begin() + shm::kLead);
    }
    return writer_->commit(std::move(filling), {.published = now, .publisher = number_});
  }

  const shm::Endpoint& endpoint() const noexcept { return self_; }
  /// Subscriptions that match, and whose process reads this publisher already.
  std::size_t subscriptions() const {
    const auto all = session_.endpoints();
    const auto matching = std::ranges::count_if(all, [this](const shm::Endpoint& one) {
      return one.kind == shm::EndpointKind::subscription && one.topic == self_.topic &&
             compatible(self_, one);
    });
    return std::min<std::size_t>(static_cast<std::size_t>(matching), writer_->counters().readers);
  }
  /// Whether all that read it have taken all.
  bool all_taken() const {
    const auto counters = writer_->counters();
    return counters.taken + counters.lost >= counters.committed * counters.readers;
  }
  std::string message_text() const {
    std::string text;
    static_cast<void>(static_cast<bool>(msgs::append_json(type_, encoded(), {}, text)));
    return text;
  }

 private:
  std::vector<std::byte> encoded() const {
    return msgs::parse_message(type_, yaml_, {.now_ns = calendar_ns()});
  }

  HostSession& session_;
  const msgs::TypeDescription& type_;
  const std::string& yaml_;
  std::uint64_t number_ = shm::Domain::id_of("publisher", shm::Domain::random_name("publisher"));
  shm::Endpoint self_;
  std::unique_ptr<shm::Writer> writer_;
};

void wait_for_subscriptions(const CommandPublisher& publisher, const PubOptions& options, Misfits& misfits,
                            lab::Console& console) {
  if (options.wanted() == 0 || publisher.subscriptions() >= options.wanted()) return;
  misfits.refuse_another_type();
  console.message(fmt::format("takt: waiting for {} matching subscription{} of {}", options.wanted(),
                              options.wanted() == 1 ? "" : "s", options.topic));
  while (publisher.subscriptions() < options.wanted()) {
    misfits.look();
    if (lab::Interrupt::wait_until(pub_now() + kLook)) return;
  }
}

void say_published(const shm::CommitResult& result, const PubOptions& options, std::uint64_t number,
                   const std::string& text, lab::Console& console) {
  if (result.refusal != shm::Refusal::none) {
    console.message(fmt::format("takt: message {} was not sent: {}", number, to_string(result.refusal)));
    return;
  }
  const nlohmann::ordered_json line = {{"report", "published"},
                                       {"topic", options.topic},
                                       {"type", options.type},
                                       {"sequence", result.sequence},
                                       {"readers", result.delivered}};
  console.json_line(line);
  console.print(fmt::format("publishing #{}: {}", number, text));
}

void publish_all(CommandPublisher& publisher, const PubOptions& options, Misfits& misfits,
                 lab::Console& console) {
  const auto period =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / options.rate_hz));
  const auto text = publisher.message_text();
  auto next = pub_now();
  for (std::uint64_t number = 1; !lab::Interrupt::requested(); ++number) {
    misfits.look();
    say_published(publisher.publish(), options, number, text, console);
    if (number == options.most()) break;
    next += period;
    lab::Interrupt::wait_until(next);
  }
  // The segment goes with this process; who has mapped it reads it to the end, but must have begun to.
  const auto patience = pub_now() + kLastMessages;
  while (options.most() > 0 && !publisher.all_taken() && pub_now() < patience) {
    if (lab::Interrupt::wait_until(pub_now() + kLook)) return;
  }
}

int pub(PubOptions options, lab::Console& console) {
  const auto type = find_type(options.type, options.definitions);
  options.type = type.description->name;
  msgs::parse_message(*type.description, options.yaml, {.now_ns = 0});  // a bad text is seen before all else
  HostSession session;
  const lab::Interrupt interrupt;
  session.complete_endpoints();
  for (const auto& text : session.shortcomings()) console.message("takt: " + text);
  CommandPublisher publisher(session, type, options);
  Misfits misfits(session, console, publisher.endpoint());
  wait_for_subscriptions(publisher, options, misfits, console);
  publish_all(publisher, options, misfits, console);
  return lab::kDone;
}

CLI::Validator positive_rate() {
  const auto check = [](const std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= kSlowest && value <= kFastest) return "";
    return fmt::format("'{}' is no rate from {} to {} Hz", text, kSlowest, kFastest);
  };
  return {check, fmt::format("HZ in [{} - {}]", kSlowest, kFastest), "rate"};
}

}  // namespace

Verb add_topic_pub(CLI::App& topic) {
  auto options = std::make_shared<PubOptions>();
  CLI::App* parser = topic.add_subcommand("pub", "publish a message, once or again and again");
  add_topic_name(*parser, options->topic);
  parser->add_option("TYPE", options->type, "type of the message")->required();
  parser->add_option("YAML", options->yaml,
                     "its fields in YAML; those that are not named have their default");
  auto* rate = parser->add_option("-r,--rate", options->rate_hz, "messages a second")
                   ->capture_default_str()
                   ->check(positive_rate());
  parser->add_flag("-1,--once", options->once, "one message")->excludes(rate);
  parser->add_option("-t,--times", options->times, "so many messages")
      ->check(lab::whole_number(1, 1'000'000'000'000));
  parser
      ->add_option("-w,--wait-matching-subscriptions", options->subscriptions,
                   "begin when so many read; default: 1 with --once or --times, else 0")
      ->check(lab::whole_number(0, 1024));
  add_qos(*parser, options->qos, "default: reliable", "default: volatile");
  add_definitions(*parser, options->definitions);
  parser->add_flag("--json", options->json, "one JSON document a message on stdout, and nothing else there");
  parser->footer(
      "A std_msgs/Header may be `auto`, a time `now`. Example:\n"
      "  takt topic pub /chatter std_msgs/String \"{data: hello}\" --rate 10");
  return {parser, [options] {
            lab::Console console(options->json);
            return console.exit_code(pub(*options, console));
          }};
}

}  // namespace takt::cli

// SPDX-License-Identifier: Apache-2.0
// Cyclone DDS through its C interface: reliable, the last 16 kept, a waitset for a reader that sleeps. On the
// loopback interface, which has no multicast: participants find each other by their ports.
#include <dds/dds.h>
#include <dds/ddsc/dds_loan_api.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "bytes.h"
#include "lab/comm/runner.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

bool over_iceoryx = false;  // the program's name says so

dds_entity_t checked(dds_entity_t result, const char* what) {
  if (result < 0) throw SetupError(std::string("Cyclone DDS: ") + what + ": " + dds_strretcode(result));
  return result;
}

/// What one end has: all of it goes with the participant.
struct End {
  End(const Stage& stage, const dds_topic_descriptor_t& message_type) : type(message_type) {
    const auto most = std::to_string(stage.round.readers + 16);
    std::string config =
        "<General><Interfaces><NetworkInterface name=\"lo\"/></Interfaces>"
        "<AllowMulticast>false</AllowMulticast></General>"
        "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>" +
        most +
        "</MaxAutoParticipantIndex><Peers><Peer address=\"127.0.0.1\"/></Peers>"
        "<LeaseDuration>1 hr</LeaseDuration><SPDPInterval>1 s</SPDPInterval></Discovery>"  // it may be
                                                                                           // stopped while
                                                                                           // others are
                                                                                           // measured
        "<Internal><WriterLingerDuration>0 s</WriterLingerDuration></Internal>";
    if (over_iceoryx) config += "<SharedMemory><Enable>true</Enable></SharedMemory>";
    checked(dds_create_domain(stage.round.domain, config.c_str()), "its domain");
    participant = checked(dds_create_participant(stage.round.domain, nullptr, nullptr), "its participant");
    qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, kDepth);
  }
  ~End() {
    dds_delete_qos(qos);
    dds_delete(participant);
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  dds_entity_t topic(const char* name) const {
    return checked(dds_create_topic(participant, &type, name, qos, nullptr), "its topic");
  }
  dds_entity_t writer(const char* name) const {
    return checked(dds_create_writer(participant, topic(name), qos, nullptr), "its writer");
  }
  /// Keeps the last 16 messages of each of `writers`.
  dds_entity_t reader(const char* name, std::uint32_t writers = 1) const {
    const auto of_reader = [&](std::uint32_t depth) {
      dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, static_cast<std::int32_t>(depth));
    };
    const auto its_topic = topic(name);
    of_reader(kDepth * writers);
    const auto made = dds_create_reader(participant, its_topic, qos, nullptr);
    of_reader(kDepth);
    return checked(made, "its reader");
  }

  const dds_topic_descriptor_t& type;
  dds_entity_t participant = 0;
  dds_qos_t* qos = nullptr;
};

/// Errors: SetupError where Cyclone DDS was asked for shared memory and does not use it.
void check_path(dds_entity_t end) {
  if (over_iceoryx && !dds_is_shared_memory_available(end))
    throw SetupError("Cyclone DDS does not use iceoryx: built without it, or it does not fit this topic");
}

/// How many ends of the other kind this one knows of.
template <class Status>
std::uint32_t matched(dds_entity_t entity, dds_return_t (*ask)(dds_entity_t, Status*)) {
  Status status{};
  return ask(entity, &status) == DDS_RETCODE_OK ? status.current_count : 0;
}

template <class T>
void send(const Stage& stage, dds_entity_t writer, T& message, std::uint64_t index, std::int64_t sent_ns) {
  void* loan = nullptr;
  if (over_iceoryx && dds_loan_sample(writer, &loan) != DDS_RETCODE_OK) return;
  auto& place = loan == nullptr ? message : *static_cast<T*>(loan);
  place.index = index;
  place.sent_ns = sent_ns;
  if (stage.round.touched) fill(place.data, sizeof place.data, index);
  dds_write(writer, &place);
}

template <class T, class Take>
void take_what_is_there(const Stage& stage, dds_entity_t reader, const Take& take) {
  std::array<void*, kDepth> samples{};  // empty: they are lent
  std::array<dds_sample_info_t, kDepth> infos{};
  for (;;) {
    const auto count = dds_take(reader, samples.data(), infos.data(), kDepth, kDepth);
    if (count <= 0) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (!infos[i].valid_data) continue;
      const auto& message = *static_cast<const T*>(samples[i]);
      if (stage.round.touched) read(message.data, sizeof message.data);
      take(message.index, message.sent_ns);
    }
    dds_return_loan(reader, samples.data(), count);
  }
}

/// Takes until the stage is over.
template <class T, class Take>
void take_all(const Stage& stage, const End& end, dds_entity_t reader, const Take& take) {
  const auto waitset = checked(dds_create_waitset(end.participant), "its waitset");
  const auto condition = checked(dds_create_readcondition(reader, DDS_ANY_STATE), "its condition");
  checked(dds_waitset_attach(waitset, condition, 0), "its waitset");
  while (!stage.over.load()) {
    dds_waitset_wait(waitset, nullptr, 0, DDS_MSECS(50));
    take_what_is_there<T>(stage, reader, take);
  }
}

template <class T>
void be_reader(Stage& stage, std::size_t number, const dds_topic_descriptor_t& type) {
  const End end(stage, type);
  const auto reader = end.reader(kMessages);
  check_path(reader);
  const auto answers = stage.round.round_trip ? end.writer(kAnswers) : 0;
  const auto message = std::make_unique<T>();
  const auto connected = [&] {
    return matched(reader, dds_get_subscription_matched_status) > 0 &&
           (answers == 0 || matched(answers, dds_get_publication_matched_status) > 0);
  };
  while (!connected() && !stage.over.load()) std::this_thread::sleep_for(1ms);
  schedule_this_thread(stage);
  ++stage.ready;
  take_all<T>(stage, end, reader, [&](std::uint64_t index, std::int64_t sent_ns) {
    received(stage, number, index, sent_ns, [&](auto... as) { send(stage, answers, *message, as...); });
  });
}

template <class T>
void be_sender(Stage& stage, const dds_topic_descriptor_t& type,
               const std::function<void(const Stack::Send&)>& while_connected) {
  const End end(stage, type);
  const auto writer = end.writer(kMessages);
  check_path(writer);
  const auto answers = stage.round.round_trip ? end.reader(kAnswers, stage.round.readers) : 0;
  while (matched(writer, dds_get_publication_matched_status) < stage.round.readers && !stage.over.load())
    std::this_thread::sleep_for(1ms);
  wait_for_readers(stage);
  const auto message = std::make_unique<T>();
  send_meanwhile(
      stage, [&] { take_all<T>(stage, end, answers, [&](auto... as) { answered(stage, as...); }); },
      [&] {
        while_connected([&](std::uint64_t index) { send(stage, writer, *message, index, stamp_ns()); });
      });
}

template <std::size_t kBytes>
struct MessageOf;
#define TAKT_MESSAGE(bytes)                                                                    \
  template <>                                                                                  \
  struct MessageOf<bytes> : std::type_identity<takt_lab_Bytes##bytes> {                        \
    static const dds_topic_descriptor_t& descriptor() { return takt_lab_Bytes##bytes##_desc; } \
  };
TAKT_MESSAGE(8)
TAKT_MESSAGE(64)
TAKT_MESSAGE(256)
TAKT_MESSAGE(1024)
TAKT_MESSAGE(4096)
TAKT_MESSAGE(16384)
TAKT_MESSAGE(65536)
TAKT_MESSAGE(262144)
TAKT_MESSAGE(1048576)
#undef TAKT_MESSAGE

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  using namespace takt::lab::comm;
  over_iceoryx = std::string_view(argv[0]).find("iceoryx") != std::string_view::npos;
  return run_stack(argc, argv,
                   {.be_reader =
                        [](Stage& stage, std::size_t reader) {
                          with_size(stage, [&](auto size) {
                            using Message = MessageOf<decltype(size)::value>;
                            be_reader<typename Message::type>(stage, reader, Message::descriptor());
                          });
                        },
                    .be_sender =
                        [](Stage& stage, const auto& run) {
                          with_size(stage, [&](auto size) {
                            using Message = MessageOf<decltype(size)::value>;
                            be_sender<typename Message::type>(stage, Message::descriptor(), run);
                          });
                        }});
}

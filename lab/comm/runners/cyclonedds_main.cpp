// SPDX-License-Identifier: Apache-2.0
// Cyclone DDS through its C interface: reliable, the last 16 kept, a waitset for a reader that sleeps. On the
// loopback interface, which has no multicast: participants find each other by their ports.
#include <dds/dds.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "bytes.h"
#include "lab/comm/runner.hpp"

namespace takt::lab::comm {
namespace {

using namespace std::chrono_literals;

dds_entity_t checked(dds_entity_t result, const char* what) {
  if (result < 0) throw SetupError(std::string("Cyclone DDS: ") + what + ": " + dds_strretcode(result));
  return result;
}

/// What one end has: all of it goes with the participant.
struct End {
  End(const Stage& stage, const dds_topic_descriptor_t& type) {
    const auto most = std::to_string(stage.round.readers + 16);
    const auto config =
        "<General><Interfaces><NetworkInterface name=\"lo\"/></Interfaces>"
        "<AllowMulticast>false</AllowMulticast></General>"
        "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>" +
        most + "</MaxAutoParticipantIndex><Peers><Peer address=\"127.0.0.1\"/></Peers></Discovery>";
    checked(dds_create_domain(stage.round.domain, config.c_str()), "its domain");
    participant = checked(dds_create_participant(stage.round.domain, nullptr, nullptr), "its participant");
    qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, kDepth);
    topic = checked(dds_create_topic(participant, &type, "bytes", qos, nullptr), "its topic");
  }
  ~End() {
    dds_delete_qos(qos);
    dds_delete(participant);
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  dds_entity_t participant = 0;
  dds_entity_t topic = 0;
  dds_qos_t* qos = nullptr;
};

/// How many ends of the other kind this one knows of.
template <class Status>
std::uint32_t matched(dds_entity_t entity, dds_return_t (*ask)(dds_entity_t, Status*)) {
  Status status{};
  return ask(entity, &status) == DDS_RETCODE_OK ? status.current_count : 0;
}

template <class T>
void take_all(Stage& stage, std::size_t number, dds_entity_t reader) {
  std::array<void*, kDepth> samples{};  // empty: they are lent
  std::array<dds_sample_info_t, kDepth> infos{};
  for (;;) {
    const auto count = dds_take(reader, samples.data(), infos.data(), kDepth, kDepth);
    if (count <= 0) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (!infos[i].valid_data) continue;
      const auto& message = *static_cast<const T*>(samples[i]);
      if (stage.round.touched) read(message.data, sizeof message.data);
      record(stage, number, message.index, message.sent_ns);
    }
    dds_return_loan(reader, samples.data(), count);
  }
}

template <class T>
void be_reader(Stage& stage, std::size_t number, const dds_topic_descriptor_t& type) {
  const End end(stage, type);
  const auto reader = checked(dds_create_reader(end.participant, end.topic, end.qos, nullptr), "its reader");
  const auto waitset = checked(dds_create_waitset(end.participant), "its waitset");
  const auto condition = checked(dds_create_readcondition(reader, DDS_ANY_STATE), "its condition");
  checked(dds_waitset_attach(waitset, condition, 0), "its waitset");
  while (matched(reader, dds_get_subscription_matched_status) == 0 && !stage.over.load())
    std::this_thread::sleep_for(1ms);
  schedule_this_thread(stage);
  ++stage.ready;
  while (!stage.over.load()) {
    dds_waitset_wait(waitset, nullptr, 0, DDS_MSECS(50));
    take_all<T>(stage, number, reader);
  }
}

template <class T>
void be_sender(Stage& stage, const dds_topic_descriptor_t& type,
               const std::function<void(const Stack::Send&)>& while_connected) {
  const End end(stage, type);
  const auto writer = checked(dds_create_writer(end.participant, end.topic, end.qos, nullptr), "its writer");
  while (matched(writer, dds_get_publication_matched_status) < stage.round.readers)
    std::this_thread::sleep_for(1ms);
  wait_for_readers(stage);
  const auto message = std::make_unique<T>();
  while_connected([&](std::uint64_t index) {
    message->index = index;
    message->sent_ns = stamp_ns();
    if (stage.round.touched) fill(message->data, sizeof message->data, index);
    dds_write(writer, message.get());
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

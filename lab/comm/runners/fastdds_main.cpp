// SPDX-License-Identifier: Apache-2.0
// Fast DDS: shared memory transport and data sharing (UDP on the loopback interface to find each other),
// loaned messages, reliable, the last 16 kept, a WaitSet for a reader that sleeps.
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fastdds/dds/core/condition/WaitSet.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <memory>
#include <string>
#include <thread>

#include "lab/comm/runner.hpp"

namespace takt::lab::comm {
namespace {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastdds::rtps;
namespace wire = eprosima::fastrtps::rtps;
using eprosima::fastrtps::types::ReturnCode_t;
using namespace std::chrono_literals;

template <std::size_t kBytes>
struct Message {
  std::uint64_t index;
  std::int64_t sent_ns;
  std::array<std::byte, kBytes> data;
};

/// A message is its own encoding.
template <class T>
class PlainType : public dds::TopicDataType {
 public:
  PlainType() {
    setName(("takt_lab::Bytes" + std::to_string(sizeof(T))).c_str());
    m_typeSize = sizeof(T) + 4;  // the encapsulation's head
    m_isGetKeyDefined = false;
  }
  bool serialize(void* data, wire::SerializedPayload_t* payload) override {
    if (payload->max_size < m_typeSize) return false;
    payload->encapsulation = CDR_LE;
    std::memset(payload->data, 0, 4);
    payload->data[1] = 1;  // CDR, little-endian
    std::memcpy(payload->data + 4, data, sizeof(T));
    payload->length = m_typeSize;
    return true;
  }
  bool deserialize(wire::SerializedPayload_t* payload, void* data) override {
    if (payload->length < m_typeSize) return false;
    std::memcpy(data, payload->data + 4, sizeof(T));
    return true;
  }
  std::function<std::uint32_t()> getSerializedSizeProvider(void*) override {
    return [size = m_typeSize] { return size; };
  }
  void* createData() override { return new T; }
  void deleteData(void* data) override { delete static_cast<T*>(data); }
  bool getKey(void*, wire::InstanceHandle_t*, bool) override { return false; }
  bool is_bounded() const override { return true; }
  bool is_plain() const override { return true; }
  bool construct_sample(void* memory) const override {
    new (memory) T;
    return true;
  }
};

template <class Entity>
Entity* made(Entity* entity, const char* what) {
  if (entity == nullptr) throw SetupError(std::string("Fast DDS: ") + what + " cannot be made");
  return entity;
}

dds::DomainParticipantQos participant_qos(const Stage& stage) {
  dds::DomainParticipantQos qos = dds::PARTICIPANT_QOS_DEFAULT;
  const auto memory = std::make_shared<rtps::SharedMemTransportDescriptor>();
  constexpr std::uint32_t kLeast = 512 * 1024;
  const auto messages = static_cast<std::uint32_t>((kDepth + 4) * (stage.round.size + 1024));
  memory->segment_size(std::max(kLeast, messages));
  const auto udp = std::make_shared<rtps::UDPv4TransportDescriptor>();
  udp->interfaceWhiteList.emplace_back("127.0.0.1");
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports = {memory, udp};
  // It may be stopped while others are measured.
  qos.wire_protocol().builtin.discovery_config.leaseDuration = {3600, 0};
  return qos;
}

template <class Qos>
Qos with_depth(Qos qos, std::uint32_t writers = 1) {
  const auto depth = static_cast<std::int32_t>(kDepth * writers);
  qos.reliability().kind = dds::RELIABLE_RELIABILITY_QOS;
  qos.durability().kind = dds::VOLATILE_DURABILITY_QOS;
  qos.history().kind = dds::KEEP_LAST_HISTORY_QOS;
  qos.history().depth = depth;
  qos.resource_limits().max_samples_per_instance = depth;
  qos.resource_limits().max_instances = 1;
  qos.resource_limits().max_samples = depth;
  qos.resource_limits().allocated_samples = depth;
  qos.endpoint().history_memory_policy = wire::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  qos.data_sharing().automatic();
  return qos;
}

/// What one end has.
template <class T>
struct End {
  explicit End(const Stage& stage)
      : participant(made(dds::DomainParticipantFactory::get_instance()->create_participant(
                             stage.round.domain, participant_qos(stage)),
                         "its participant")),
        type(new PlainType<T>) {
    type.register_type(participant);
  }
  ~End() {
    participant->delete_contained_entities();
    dds::DomainParticipantFactory::get_instance()->delete_participant(participant);
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  dds::Topic* topic(const char* name) const {
    return made(participant->create_topic(name, type.get_type_name(), dds::TOPIC_QOS_DEFAULT), "its topic");
  }
  dds::DataWriter& writer(const char* name) const {
    auto* publisher = made(participant->create_publisher(dds::PUBLISHER_QOS_DEFAULT), "its publisher");
    return *made(publisher->create_datawriter(topic(name), with_depth(dds::DATAWRITER_QOS_DEFAULT)),
                 "its writer");
  }
  /// Keeps the last 16 messages of each of `writers`.
  dds::DataReader& reader(const char* name, std::uint32_t writers = 1) const {
    auto* subscriber = made(participant->create_subscriber(dds::SUBSCRIBER_QOS_DEFAULT), "its subscriber");
    return *made(subscriber->create_datareader(topic(name), with_depth(dds::DATAREADER_QOS_DEFAULT, writers)),
                 "its reader");
  }

  dds::DomainParticipant* participant;
  dds::TypeSupport type;
};

std::int32_t matched(const dds::DataReader& reader) {
  dds::SubscriptionMatchedStatus status;
  reader.get_subscription_matched_status(status);
  return status.current_count;
}
std::int32_t matched(const dds::DataWriter& writer) {
  dds::PublicationMatchedStatus status;
  writer.get_publication_matched_status(status);
  return status.current_count;
}

template <class T>
void send(const Stage& stage, dds::DataWriter& writer, std::uint64_t index, std::int64_t sent_ns) {
  void* loan = nullptr;
  if (writer.loan_sample(loan) != ReturnCode_t::RETCODE_OK) return;
  auto& message = *static_cast<T*>(loan);
  message.index = index;
  message.sent_ns = sent_ns;
  if (stage.round.touched) fill(message.data.data(), message.data.size(), index);
  if (!writer.write(loan)) writer.discard_loan(loan);
}

template <class T, class Take>
void take_what_is_there(const Stage& stage, dds::DataReader& reader, const Take& take) {
  dds::LoanableSequence<T> messages;
  dds::SampleInfoSeq infos;
  while (reader.take(messages, infos) == ReturnCode_t::RETCODE_OK) {
    for (dds::LoanableCollection::size_type i = 0; i < messages.length(); ++i) {
      if (!infos[i].valid_data) continue;
      const T& message = messages[i];
      if (stage.round.touched) read(message.data.data(), message.data.size());
      // Data sharing lends the sender's own memory, which may have been overwritten meanwhile.
      if (reader.is_sample_valid(&message, &infos[i])) take(message.index, message.sent_ns);
    }
    reader.return_loan(messages, infos);
  }
}

/// Takes until the stage is over.
template <class T, class Take>
void take_all(const Stage& stage, dds::DataReader& reader, const Take& take) {
  auto& condition = reader.get_statuscondition();
  condition.set_enabled_statuses(dds::StatusMask::data_available());
  dds::WaitSet waitset;
  waitset.attach_condition(condition);
  while (!stage.over.load()) {
    dds::ConditionSeq active;
    waitset.wait(active, eprosima::fastrtps::Duration_t(0, 50'000'000));
    take_what_is_there<T>(stage, reader, take);
  }
}

template <class T>
void be_reader(Stage& stage, std::size_t number) {
  const End<T> end(stage);
  auto& reader = end.reader(kMessages);
  auto* answers = stage.round.round_trip ? &end.writer(kAnswers) : nullptr;
  while (!stage.over.load() && (matched(reader) == 0 || (answers != nullptr && matched(*answers) == 0)))
    std::this_thread::sleep_for(1ms);
  schedule_this_thread(stage);
  ++stage.ready;
  take_all<T>(stage, reader, [&](std::uint64_t index, std::int64_t sent_ns) {
    received(stage, number, index, sent_ns, [&](auto... as) { send<T>(stage, *answers, as...); });
  });
}

template <class T>
void be_sender(Stage& stage, const std::function<void(const Stack::Send&)>& while_connected) {
  const End<T> end(stage);
  auto& writer = end.writer(kMessages);
  auto* answers = stage.round.round_trip ? &end.reader(kAnswers, stage.round.readers) : nullptr;
  while (matched(writer) < static_cast<std::int32_t>(stage.round.readers) && !stage.over.load())
    std::this_thread::sleep_for(1ms);
  wait_for_readers(stage);
  send_meanwhile(
      stage, [&] { take_all<T>(stage, *answers, [&](auto... as) { answered(stage, as...); }); },
      [&] { while_connected([&](std::uint64_t index) { send<T>(stage, writer, index, stamp_ns()); }); });
}

}  // namespace
}  // namespace takt::lab::comm

int main(int argc, char** argv) {
  using namespace takt::lab::comm;
  return run_stack(
      argc, argv,
      {.be_reader =
           [](Stage& stage, std::size_t reader) {
             with_size(stage, [&](auto size) { be_reader<Message<decltype(size)::value>>(stage, reader); });
           },
       .be_sender =
           [](Stage& stage, const auto& run) {
             with_size(stage, [&](auto size) { be_sender<Message<decltype(size)::value>>(stage, run); });
           }});
}

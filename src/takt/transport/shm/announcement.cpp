// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/announcement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "takt/core/error.hpp"

namespace takt::shm {
namespace {

constexpr std::string_view kAnnouncementMagic{"taktdsc\0", 8};
constexpr std::uint32_t kSnapshotFlag = 1;
constexpr std::uint32_t kAskFlag = 2;
constexpr std::uint8_t kAddedRecord = 1;
constexpr std::uint8_t kRemovedRecord = 2;

template <class Integer>
void put(std::vector<std::byte>& to, Integer value) {
  auto bits = static_cast<std::make_unsigned_t<Integer>>(value);
  for (std::size_t i = 0; i < sizeof bits; ++i) {
    to.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(bits) >> (8 * i)));
  }
}

template <class Bytes>
void put_bytes(std::vector<std::byte>& to, const Bytes& from) {
  const auto view = std::as_bytes(std::span(from));
  to.insert(to.end(), view.begin(), view.end());
}

void put_text(std::vector<std::byte>& to, const std::string& text) {
  put(to, static_cast<std::uint16_t>(text.size()));
  put_bytes(to, text);
}

void put_added(std::vector<std::byte>& to, const Endpoint& e) {
  put(to, kAddedRecord);
  put(to, static_cast<std::uint8_t>(e.kind));
  put(to, static_cast<std::uint8_t>(e.qos.reliability));
  put(to, static_cast<std::uint8_t>(e.qos.durability));
  put(to, static_cast<std::uint8_t>(e.qos.history));
  put_bytes(to, std::array<std::byte, 3>{});
  put(to, e.id);
  put(to, e.generation);
  put(to, e.qos.depth);
  put(to, e.qos.deadline.count());
  put(to, e.qos.lifespan.count());
  put_bytes(to, e.type_hash);
  for (const auto* text : {&e.topic, &e.type_name, &e.node, &e.segment}) put_text(to, *text);
}

void put_removed(std::vector<std::byte>& to, const Endpoint& e) {
  put(to, kRemovedRecord);
  put_bytes(to, std::array<std::byte, 7>{});
  put(to, e.id);
  put(to, e.generation);
}

/// Reads fields in order. After the first fault everything reads as zero, and the fault stays.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class Integer>
  Integer number() {
    std::uint64_t value = 0;
    const auto bytes = take(sizeof(Integer));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return static_cast<Integer>(value);
  }

  std::span<const std::byte> take(std::size_t size) {
    if (size > rest_.size()) {
      fail("it ends too early");
      return {};
    }
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  std::string text(std::size_t longest, const char* what) {
    const auto size = number<std::uint16_t>();
    if (size > longest) fail(what);
    if (!fault_.empty()) return {};
    const auto bytes = take(size);
    std::string result(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (result.find('\0') != std::string::npos) fail(what);
    return result;
  }

  void zeros(std::size_t size) {
    const auto bytes = take(size);
    if (std::ranges::any_of(bytes, [](std::byte b) { return b != std::byte{0}; })) fail("reserved bytes");
  }

  /// An enumeration's value, which must be in [first, last].
  template <class Enum>
  Enum one_of(Enum first, Enum last, const char* what) {
    using Value = std::underlying_type_t<Enum>;
    const auto value = number<Value>();
    if (value < static_cast<Value>(first) || value > static_cast<Value>(last)) {
      fail(what);
      return first;
    }
    return static_cast<Enum>(value);
  }

  void require(bool rule, const char* what) {
    if (!rule) fail(what);
  }
  void fail(const char* what) {
    if (fault_.empty()) fault_ = what;
    rest_ = {};
  }
  const std::string& fault() const { return fault_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  std::string fault_;
};

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

/// The field of 64 bytes that holds the process's name: ends with zeros, and is a plain file name.
std::string read_process(FieldReader& reader) {
  const auto field = reader.take(kMaxProcessName + 1);
  if (field.empty()) return {};
  const auto* text = reinterpret_cast<const char*>(field.data());
  std::string name(text, strnlen(text, field.size()));
  const auto rest = field.subspan(name.size());
  reader.require(!rest.empty() && std::ranges::all_of(rest, [](std::byte b) { return b == std::byte{0}; }),
                 "process name");
  reader.require(is_file_name(name), "process name");
  return name;
}

void read_qos(FieldReader& reader, Endpoint& e) {
  using Qos = EndpointQos;
  e.qos.reliability = reader.one_of(Qos::Reliability::best_effort, Qos::Reliability::reliable, "reliability");
  e.qos.durability =
      reader.one_of(Qos::Durability::volatile_, Qos::Durability::transient_local, "durability");
  e.qos.history = reader.one_of(Qos::History::keep_last, Qos::History::keep_all, "history");
}

void read_added(FieldReader& reader, Endpoint& e) {
  e.kind = reader.one_of(EndpointKind::publisher, EndpointKind::node, "kind of endpoint");
  read_qos(reader, e);
  reader.zeros(3);
  e.id = reader.number<std::uint64_t>();
  e.generation = reader.number<std::uint64_t>();
  e.qos.depth = reader.number<std::uint32_t>();
  e.qos.deadline = Duration{reader.number<std::int64_t>()};
  e.qos.lifespan = Duration{reader.number<std::int64_t>()};
  const auto hash = reader.take(e.type_hash.size());
  std::ranges::copy(hash, e.type_hash.begin());
  e.topic = reader.text(Endpoint::kMaxName, "topic");
  e.type_name = reader.text(Endpoint::kMaxName, "type name");
  e.node = reader.text(Endpoint::kMaxName, "node name");
  e.segment = reader.text(Endpoint::kMaxFileName, "segment name");
  reader.require(e.segment.empty() || is_file_name(e.segment), "segment name");
  reader.require(e.qos.deadline >= Duration::zero() && e.qos.lifespan >= Duration::zero(), "duration");
  reader.require(!says_too_much(e), "node with a topic");
}

EndpointChange read_change(FieldReader& reader, const Announcement& header) {
  EndpointChange change;
  Endpoint& e = change.endpoint;
  const auto record = reader.number<std::uint8_t>();
  change.added = record == kAddedRecord;
  if (change.added) {
    read_added(reader, e);
    e.process = header.process;
    e.pid = header.pid;
  } else {
    reader.require(record == kRemovedRecord, "kind of record");
    reader.zeros(7);
    e.id = reader.number<std::uint64_t>();
    e.generation = reader.number<std::uint64_t>();
  }
  reader.require(e.id != 0, "endpoint id");
  return change;
}

void read_changes(FieldReader& reader, Announcement& a, std::uint32_t count) {
  auto last = a.base;
  for (std::uint32_t i = 0; i < count && reader.fault().empty(); ++i) {
    a.changes.push_back(read_change(reader, a));
    const auto generation = a.changes.back().endpoint.generation;
    reader.require(generation > last && generation <= a.upto, "order of generations");
    last = generation;
  }
  reader.require(reader.at_end(), "bytes after the last record");
}

/// The fields after the process's name; the number of records.
std::uint32_t read_rest_of_header(FieldReader& reader, Announcement& a, std::uint16_t kind,
                                  std::uint32_t flags) {
  reader.require(kind == 1 || kind == 2, "kind of datagram");
  a.kind = static_cast<Announcement::Kind>(kind);
  reader.require((flags & ~(kSnapshotFlag | kAskFlag)) == 0, "flags");
  a.snapshot = (flags & kSnapshotFlag) != 0;
  a.ask = (flags & kAskFlag) != 0;
  a.session = reader.number<std::uint64_t>();
  a.base = reader.number<std::uint64_t>();
  a.upto = reader.number<std::uint64_t>();
  a.latest = reader.number<std::uint64_t>();
  a.pid = reader.number<pid_t>();
  const auto count = reader.number<std::uint32_t>();
  reader.require(a.session != 0, "session");
  reader.require(a.base <= a.upto && a.upto <= a.latest, "range of generations");
  reader.require(a.base != 0 || a.upto == 0 || a.snapshot, "range of generations");
  reader.require(a.pid >= 0, "process id");
  return count;
}

}  // namespace

std::variant<Announcement, Malformed, OtherVersion> decode(std::span<const std::byte> datagram) {
  if (datagram.size() > kMaxDatagram) return Malformed{"it is too long"};
  FieldReader reader(datagram);
  const auto magic = reader.take(kAnnouncementMagic.size());
  reader.require(magic.size() == kAnnouncementMagic.size() &&
                     std::memcmp(magic.data(), kAnnouncementMagic.data(), magic.size()) == 0,
                 "magic");
  const auto version = reader.number<std::uint16_t>();
  const auto kind = reader.number<std::uint16_t>();
  const auto flags = reader.number<std::uint32_t>();
  Announcement a;
  a.process = read_process(reader);
  if (reader.fault().empty() && version != kAnnouncementVersion) return OtherVersion{version, a.process};
  const auto count = read_rest_of_header(reader, a, kind, flags);
  read_changes(reader, a, count);
  if (!reader.fault().empty()) return Malformed{reader.fault()};
  return a;
}

AnnouncementWriter::AnnouncementWriter() : bytes_(kHeaderBytes) {}

bool AnnouncementWriter::try_add(const EndpointChange& change) {
  const auto before = bytes_.size();
  change.added ? put_added(bytes_, change.endpoint) : put_removed(bytes_, change.endpoint);
  if (bytes_.size() > kMaxDatagram) {
    bytes_.resize(before);
    return false;
  }
  ++changes_;
  return true;
}

std::vector<std::byte> AnnouncementWriter::finish(const Announcement& header) && {
  if (header.process.size() > kMaxProcessName || !is_file_name(header.process)) {
    throw SetupError("shared memory: '" + header.process + "' cannot be the name of a process's lease");
  }
  std::vector<std::byte> head;
  head.reserve(kHeaderBytes);
  put_bytes(head, kAnnouncementMagic);
  put(head, kAnnouncementVersion);
  put(head, static_cast<std::uint16_t>(header.kind));
  put(head, (header.snapshot ? kSnapshotFlag : 0U) | (header.ask ? kAskFlag : 0U));
  put_bytes(head, header.process);
  head.resize(head.size() + kMaxProcessName + 1 - header.process.size());
  put(head, header.session);
  put(head, header.base);
  put(head, header.upto);
  put(head, header.latest);
  put(head, header.pid);
  put(head, changes_);
  TAKT_CHECK(head.size() == kHeaderBytes);
  std::ranges::copy(head, bytes_.begin());
  return std::move(bytes_);
}

std::string format_fault(const Endpoint& endpoint) {
  const auto check = [](const char* what, const std::string& text, std::size_t longest) -> std::string {
    if (text.size() > longest) return fmt::format("{} of {} bytes, at most {}", what, text.size(), longest);
    if (text.find('\0') != std::string::npos) return fmt::format("{} with a zero in it", what);
    return {};
  };
  for (auto&& fault : {check("topic", endpoint.topic, Endpoint::kMaxName),
                       check("type name", endpoint.type_name, Endpoint::kMaxName),
                       check("node name", endpoint.node, Endpoint::kMaxName),
                       check("segment name", endpoint.segment, Endpoint::kMaxFileName)}) {
    if (!fault.empty()) return fault;
  }
  if (!endpoint.segment.empty() && !is_file_name(endpoint.segment)) return "a segment that is no file name";
  if (endpoint.qos.deadline < Duration::zero() || endpoint.qos.lifespan < Duration::zero()) {
    return "a negative duration";
  }
  if (says_too_much(endpoint)) return "a node with a topic, type or segment";
  return {};
}

}  // namespace takt::shm

// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/layout.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "takt/core/error.hpp"

namespace takt::shm::layout {
namespace {

constexpr std::size_t kLine = 64;
// Bounds of what is mapped differently. A power of two that every page size divides.
constexpr std::size_t kPage = 65536;

constexpr std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

bool is_name(const std::array<char, kNameSize>& text) { return std::ranges::find(text, '\0') != text.end(); }

std::string hex(const TypeHash& hash) {
  std::string text;
  for (const auto byte : hash) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4U];
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

void check_prefix(const Prefix& prefix, const std::string& name) {
  if (prefix.magic != kMagic) throw SetupError(name + " is no segment of takt", "remove it");
  if (prefix.version != kVersion) {
    throw SetupError(name + " has layout version " + std::to_string(prefix.version) +
                         ", this takt reads version " + std::to_string(kVersion),
                     "use one version of takt in all programs of the domain");
  }
  if (prefix.time_namespace != own_time_namespace()) {
    throw SetupError(
        name + " is from another time namespace: its times cannot be compared with this process's",
        "give containers that share /dev/shm the same time namespace");
  }
}

void check_type(const Header& header, const TypeHash& expected, const std::string& name) {
  if (header.prefix.type_hash == expected) return;
  throw SetupError(name + " of topic " + header.topic.data() +
                       " holds messages of another type: " + header.type_name.data() + " (hash " +
                       hex(header.prefix.type_hash) + ", expected " + hex(expected) + ")",
                   "use one type on the topic, and build both programs from the same message definition");
}

bool within_limits(const Header& header) {
  return header.slots >= 1 && header.slots < kMostSlots && header.rows >= 1 && header.rows <= kMostRows &&
         header.depth >= 1 && header.depth < header.slots && header.retained <= header.depth &&
         header.max_size <= kLargestMessage && header.keep_all <= 1 && is_name(header.type_name) &&
         is_name(header.topic);
}

}  // namespace

Geometry::Geometry(std::uint32_t slot_count, std::uint32_t row_count, std::uint32_t ring_depth,
                   std::uint64_t largest)
    : slots(slot_count),
      rows(row_count),
      depth(ring_depth),
      max_size(largest),
      hold_words((row_count + 63) / 64) {
  hold_stride = round_up(hold_words * sizeof(std::uint64_t), kLine);
  slot_stride = sizeof(SlotHeader) + round_up(std::max<std::size_t>(max_size, 1), kLine);
  control = kPage;
  wakes = control + sizeof(Control);
  row = round_up(wakes + rows * sizeof(std::uint32_t), kLine);
  holds = row + rows * sizeof(Row);
  ring = round_up(holds + slots * hold_stride, kPage);
  entries = ring + sizeof(RingHead);
  data = round_up(entries + depth * sizeof(std::uint64_t), kPage);
  end = data + slots * slot_stride;
}

std::uint64_t checksum_of(const Header& header) noexcept {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < offsetof(Header, checksum); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3U;
  return hash;
}

std::uint64_t own_time_namespace() {
  struct stat found {};  // a kernel without time namespaces has only one
  return ::stat("/proc/self/ns/time", &found) == 0 ? found.st_ino : 0;
}

CheckedHeader check_header(const Segment& segment, const TypeHash* expected_type) {
  const auto name = "segment " + segment.path().string();
  const auto truncated = [&](std::size_t wanted) {
    return SetupError(name + " is truncated: " + std::to_string(segment.size()) + " bytes instead of " +
                          std::to_string(wanted),
                      "remove it");
  };
  Prefix prefix{};
  if (segment.size() < sizeof prefix) throw truncated(sizeof prefix);
  std::memcpy(&prefix, segment.data(), sizeof prefix);
  check_prefix(prefix, name);

  Header header{};
  if (segment.size() < sizeof header) throw truncated(sizeof header);
  std::memcpy(&header, segment.data(), sizeof header);
  if (header.checksum != checksum_of(header) || !within_limits(header)) {
    throw SetupError(name + " is damaged: its header does not hold together", "remove it");
  }
  if (expected_type != nullptr) check_type(header, *expected_type, name);
  const Geometry geometry(header.slots, header.rows, header.depth, header.max_size);
  if (segment.size() != geometry.end) throw truncated(geometry.end);
  return {header, geometry};
}

std::uint32_t Access::rows_used() const noexcept {
  return std::min(control().rows_used.load(), geometry_.rows);
}

// The other half of Reader::take(): it sets its bit and looks at the entry again; the writer changes the
// entry and looks at the bits. All sequentially consistent, so one of the two sees the other.
bool Access::is_held(std::uint32_t slot) const noexcept {
  for (std::uint32_t word = 0; word < geometry_.hold_words; ++word) {
    if (hold(slot, word).load() != 0) return true;
  }
  return false;
}

}  // namespace takt::shm::layout

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>

#include "lab/comm/cell.hpp"
#include "takt/core/error.hpp"

namespace takt::lab::comm {
namespace {

/// One entry of the array, as the head describes it.
struct RawEntry {
  std::uint16_t round;
  std::uint16_t reader;
  float latency_us;
};
static_assert(sizeof(RawEntry) == 8);

constexpr std::size_t kNpyStart = 10;      // magic, version, length of the head
constexpr std::size_t kNpyAlignment = 64;  // of the data
constexpr std::string_view kNpyMagic{"\x93NUMPY\x01\x00", 8};

std::string npy_head(std::size_t entries) {
  auto words = fmt::format(
      "{{'descr': [('round', '<u2'), ('reader', '<u2'), ('latency_us', '<f4')], 'fortran_order': False, "
      "'shape': ({},)}}",
      entries);
  const auto end = (kNpyStart + words.size() + 1 + kNpyAlignment - 1) / kNpyAlignment * kNpyAlignment;
  words.append(end - kNpyStart - words.size() - 1, ' ');
  words += '\n';
  std::string head(kNpyMagic);
  head += static_cast<char>(words.size() & 0xFFU);
  head += static_cast<char>(words.size() >> 8U);
  return head + words;
}

}  // namespace

std::string raw_npy(const CellRun& run) {
  std::size_t entries = 0;
  for (const auto& round : run.rounds) entries += round.received();
  auto text = npy_head(entries);
  text.reserve(text.size() + entries * sizeof(RawEntry));
  for (std::size_t round = 0; round < run.rounds.size(); ++round) {
    const auto& readers = run.rounds[round].latency_us;
    for (std::size_t reader = 0; reader < readers.size(); ++reader) {
      for (const float latency : readers[reader]) {
        const RawEntry entry{static_cast<std::uint16_t>(round), static_cast<std::uint16_t>(reader), latency};
        text.append(reinterpret_cast<const char*>(&entry), sizeof entry);
      }
    }
  }
  return text;
}

std::vector<double> latencies_of_npy(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[at]));
  };
  if (text.size() < kNpyStart || !text.starts_with(kNpyMagic))
    throw SetupError("a raw file is not an array of numpy", "name a folder that takt lab comm has written");
  const auto start = kNpyStart + byte(8) + (byte(9) << 8U);
  if (start > text.size() || (text.size() - start) % sizeof(RawEntry) != 0)
    throw SetupError("a raw file is cut off", "measure it again");
  std::vector<double> values;
  for (auto at = start; at < text.size(); at += sizeof(RawEntry)) {
    RawEntry entry{};
    std::memcpy(&entry, text.data() + at, sizeof entry);
    values.push_back(static_cast<double>(entry.latency_us));
  }
  return values;
}

}  // namespace takt::lab::comm

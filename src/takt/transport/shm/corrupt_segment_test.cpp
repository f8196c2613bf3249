// SPDX-License-Identifier: Apache-2.0
// Damaged segments never crash a reader: they are refused by name, or what cannot be is counted.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "takt/core/error.hpp"
#include "takt/transport/shm/data_test_support.hpp"
#include "takt/transport/shm/process_test_support.hpp"

namespace takt::shm {
namespace {

using ::testing::HasSubstr;

/// A segment's file, to be damaged and repaired. Its writer is gone, so the reader sees the damage alone.
class DamagedFile {
 public:
  DamagedFile(const TestMember& member, std::filesystem::path path) : path_(std::move(path)) {
    auto options = member.writer_options(3, 100);
    options.spare = 2;
    options.retained = 3;
    const auto writer = member.writer(options);
    for (std::uint64_t i = 1; i <= 5; ++i) publish(*writer, 20 * i, i);
    std::filesystem::copy_file(writer->path(), path_);
    std::filesystem::permissions(path_, std::filesystem::perms(0600));
    const auto segment = Segment::open(path_);
    geometry_ = layout::check_header(segment, nullptr).geometry;
    std::memcpy(&header_, segment.data(), sizeof header_);
    original_.assign(segment.data(), segment.data() + segment.size());
    fd_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~DamagedFile() { ::close(fd_); }
  DamagedFile(const DamagedFile&) = delete;
  DamagedFile& operator=(const DamagedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const layout::Geometry& geometry() const { return geometry_; }
  const layout::Header& header() const { return header_; }

  void write(std::size_t offset, const void* bytes, std::size_t size) {
    EXPECT_EQ(::pwrite(fd_, bytes, size, static_cast<off_t>(offset)), static_cast<ssize_t>(size));
  }
  void write_header(layout::Header header, bool with_checksum = true) {
    if (with_checksum) header.checksum = layout::checksum_of(header);
    write(0, &header, sizeof header);
  }
  void resize(std::size_t size) { EXPECT_EQ(::ftruncate(fd_, static_cast<off_t>(size)), 0); }
  void repair() {
    resize(0);
    resize(original_.size());
    const auto put = [&](std::size_t from, std::size_t size) { write(from, original_.data() + from, size); };
    put(0, sizeof(layout::Header));
    put(geometry_.control, geometry_.holds + geometry_.slots * geometry_.hold_stride - geometry_.control);
    put(geometry_.ring, geometry_.entries + geometry_.depth * sizeof(std::uint64_t) - geometry_.ring);
    put(geometry_.data, geometry_.end - geometry_.data);
  }

 private:
  std::filesystem::path path_;
  layout::Geometry geometry_{1, 1, 1, 1};
  layout::Header header_{};
  std::vector<std::byte> original_;
  int fd_ = -1;
};

class CorruptSegmentTest : public ShmDataTest {
 protected:
  ReaderOptions options() const {
    auto options = self_.reader_options(3);
    options.transient_local = true;
    return options;
  }
  std::string refusal() {
    try {
      self_.reader_of(file_.path(), options());
    } catch (const SetupError& error) {
      return error.what();
    }
    return "accepted";
  }
  /// Attaches and takes what there is, touching every byte. True when it was let in.
  bool use() {
    try {
      const auto reader = self_.reader_of(file_.path(), options());
      for (int i = 0; i < 20; ++i) {
        const auto view = reader->take();
        if (!view) break;
        for (const auto byte : view->bytes()) sum_ += std::to_integer<unsigned>(byte);
      }
      sum_ += reader->counters().lost + (reader->ready() ? 1U : 0U);
      return true;
    } catch (const SetupError& error) {
      EXPECT_NE(std::string(error.what()).find(file_.path().filename().string()), std::string::npos);
      return false;
    }
  }
  std::uint64_t word() {  // numbers that are likely to hurt
    constexpr std::array<std::uint64_t, 8> kLikely = {0,      1,       ~0ULL,      1ULL << 63,
                                                      0xffff, 0x10000, 0xffffffff, 64};
    return random_() % 2 == 0 ? kLikely[random_() % kLikely.size()] : (random_() << 32U) ^ random_();
  }

  DamagedFile file_{self_, self_.domain.path() / "damaged"};
  std::mt19937_64 random_{1};
  std::uint64_t sum_ = 0;
};

TEST_F(CorruptSegmentTest, AGoodOneIsRead) {
  const auto reader = self_.reader_of(file_.path(), options());
  EXPECT_THAT(take_sequences(*reader), ::testing::ElementsAre(3, 4, 5));
}

TEST_F(CorruptSegmentTest, EachFaultOfAHeaderIsSaid) {
  const auto with = [&](auto change, bool checksum = true) {
    auto header = file_.header();
    change(header);
    file_.write_header(header, checksum);
    return refusal();
  };
  EXPECT_THAT(with([](auto& h) { h.prefix.magic[0] = 'x'; }), HasSubstr("no segment of takt"));
  EXPECT_THAT(with([](auto& h) { h.prefix.version = 7; }), HasSubstr("layout version 7"));
  EXPECT_THAT(with([](auto& h) { h.prefix.type_hash[31] = std::byte{1}; }), HasSubstr("another type"));
  EXPECT_THAT(with([](auto& h) { h.prefix.time_namespace += 1; }), HasSubstr("time namespace"));
  EXPECT_THAT(with([](auto& h) { h.slots += 1; }, false), HasSubstr("damaged"));
  EXPECT_THAT(with([](auto& h) { h.slots += 1; }), HasSubstr("truncated"));
  EXPECT_THAT(with([](auto& h) { h.slots = 0; }), HasSubstr("damaged"));
  EXPECT_THAT(with([](auto& h) { h.rows = 1025; }), HasSubstr("damaged"));
  EXPECT_THAT(with([](auto& h) { h.depth = h.slots; }), HasSubstr("damaged"));
  EXPECT_THAT(with([](auto& h) { h.max_size = ~0ULL; }), HasSubstr("damaged"));
  EXPECT_THAT(with([](auto& h) { h.topic.fill('x'); }), HasSubstr("damaged"));
  EXPECT_EQ(with([](auto&) {}), "accepted");
}

TEST_F(CorruptSegmentTest, ATruncatedOneIsRefused) {
  for (const std::size_t size :
       {0UL, 1UL, 63UL, 64UL, 639UL, 640UL, 4096UL, 65536UL, file_.geometry().end - 1}) {
    file_.resize(size);
    EXPECT_THAT(refusal(), ::testing::AnyOf(HasSubstr("truncated"), HasSubstr("empty"))) << size;
    file_.repair();
  }
  file_.resize(file_.geometry().end + 1);
  EXPECT_THAT(refusal(), HasSubstr("truncated"));
}

TEST_F(CorruptSegmentTest, AnythingInTheHeaderIsSurvived) {
  const int count = repetitions(1000, 30000);
  int let_in = 0;
  for (int i = 0; i < count; ++i) {
    auto header = file_.header();
    auto* bytes = reinterpret_cast<unsigned char*>(&header);
    for (auto n = random_() % 3; n < 3; ++n) bytes[random_() % 112] = static_cast<unsigned char>(random_());
    file_.write_header(header, random_() % 8 != 0);
    let_in += use() ? 1 : 0;
  }
  EXPECT_LT(let_in, count);
}

TEST_F(CorruptSegmentTest, AHeaderThatPromisesAnotherGeometryIsSurvived) {
  const int count = repetitions(300, 10000);
  for (int i = 0; i < count; ++i) {
    auto header = file_.header();
    header.slots = static_cast<std::uint32_t>(2 + random_() % 200);
    header.depth = static_cast<std::uint32_t>(1 + random_() % (header.slots - 1));
    header.retained = header.depth;
    header.rows = static_cast<std::uint32_t>(1 + random_() % layout::kMostRows);
    header.max_size = random_() % 5000;
    file_.write_header(header);
    const layout::Geometry geometry(header.slots, header.rows, header.depth, header.max_size);
    file_.resize(geometry.end);
    for (int k = 0; k < 20; ++k) {
      const auto value = word();
      const auto places = (geometry.end - geometry.ring) / 8;
      file_.write(geometry.ring + random_() % std::min<std::uint64_t>(places, 100) * 8, &value, sizeof value);
    }
    EXPECT_TRUE(use());
    file_.repair();
  }
}

TEST_F(CorruptSegmentTest, AnythingBehindTheHeaderIsSurvived) {
  const int count = repetitions(2000, 60000);
  const auto& g = file_.geometry();
  const std::array<std::pair<std::size_t, std::size_t>, 4> regions = {{
      {g.control, g.holds + g.slots * g.hold_stride - g.control},
      {g.ring, g.entries + g.depth * sizeof(std::uint64_t) - g.ring},
      {g.entries, g.depth * sizeof(std::uint64_t)},
      {g.data, g.end - g.data},
  }};
  for (int i = 0; i < count; ++i) {
    for (auto n = random_() % 6; n < 6; ++n) {
      const auto [offset, size] = regions[random_() % regions.size()];
      const auto value = random_() % 3 == 0
                             ? layout::pack(random_() % 8, static_cast<std::uint32_t>(random_() % 8))
                             : word();
      file_.write(offset + random_() % (size / 8) * 8, &value, sizeof value);
    }
    use();
    file_.repair();
  }
}

TEST_F(CorruptSegmentTest, ARingThatNoWriterWritesIsNotWaitedFor) {
  const auto reader = self_.reader_of(file_.path(), options());
  const auto far = layout::pack(1'000'000, 0);
  for (std::uint32_t i = 0; i < file_.geometry().depth; ++i) {
    file_.write(file_.geometry().entries + i * sizeof far, &far, sizeof far);
  }
  EXPECT_FALSE(reader->take());
  EXPECT_FALSE(reader->ready()) << "an executor would look again for ever";
  EXPECT_EQ(reader->counters().corrupt, 1U);
}

TEST_F(CorruptSegmentTest, DamageWhileItIsReadIsSurvived) {
  std::atomic<bool> done{false};
  std::thread damaging([&] {
    std::mt19937_64 random(2);
    const auto& g = file_.geometry();
    while (!done.load()) {
      const auto value =
          random() % 2 == 0 ? layout::pack(random() % 8, static_cast<std::uint32_t>(random() % 8)) : random();
      file_.write(g.ring + 8 * (random() % (8 + g.depth)), &value, sizeof value);
      file_.write(g.data + g.slot_stride * (random() % g.slots), &value, sizeof value);
    }
  });
  for (int i = 0; i < repetitions(300, 5000); ++i) use();
  done = true;
  damaging.join();
}

TEST_F(CorruptSegmentTest, AWriterSurvivesReadersThatScribble) {
  for (int i = 0; i < repetitions(100, 1000); ++i) {
    const auto writer = self_.writer(self_.writer_options(3, 100));
    const auto& access = TestAccess::access(*writer);
    const auto& g = access.geometry();
    auto* control = reinterpret_cast<std::atomic<std::uint64_t>*>(&access.control());
    for (int k = 0; k < 30; ++k) {
      // The holds last: when all are set there is no slot to publish in.
      const auto end = k < 20 ? g.holds : g.holds + g.slots * g.hold_stride;
      control[random_() % ((end - g.control) / 8)].store(word());
      publish(*writer, random_() % 110, 1);
      if (k % 8 == 0) writer->reclaim();
      sum_ += writer->counters().lost;
    }
  }
}

}  // namespace
}  // namespace takt::shm

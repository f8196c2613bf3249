// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "takt/core/lease.hpp"
#include "takt/transport/shm/attachment.hpp"
#include "takt/transport/shm/bells.hpp"
#include "takt/transport/shm/domain.hpp"
#include "takt/transport/shm/membership.hpp"
#include "takt/transport/shm/reader.hpp"
#include "takt/transport/shm/writer.hpp"

namespace takt::shm {

/// Attaches within the process to the writer's own mapping. At two addresses of one memory the thread
/// sanitizer would see two memories.
struct TestAccess {
  static std::unique_ptr<Reader> attach_to(Writer& writer, const ReaderOptions& options) {
    const auto [header, geometry] = layout::check_header(*writer.segment_, &options.type_hash);
    const auto row = rows::claim(writer.access_, writer.folder_, options.lease);
    EXPECT_TRUE(row);
    auto attachment = std::make_shared<Reader::Attachment>(writer.segment_, geometry, *row);
    return std::unique_ptr<Reader>(new Reader(std::move(attachment), header, options));
  }
  static const layout::Access& access(Writer& writer) { return writer.access_; }
  static const layout::Access& access(Reader& reader) { return reader.attachment_->access(); }
};

/// A folder of its own, removed at the end.
class TestBase {
 public:
  TestBase() {
    char name[] = "/dev/shm/takt-test-XXXXXX";
    EXPECT_NE(::mkdtemp(name), nullptr);
    base_ = name;
  }
  ~TestBase() {
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }
  TestBase(const TestBase&) = delete;
  TestBase& operator=(const TestBase&) = delete;

  const std::string& path() const { return base_; }

 private:
  std::string base_;
};

/// A member with a bell, that makes writers and readers.
struct TestMember : Membership {
  explicit TestMember(const std::string& base) : Membership(Domain::open(base, 0)), bell(bells->claim(0)) {}

  WriterOptions writer_options(std::uint32_t depth, std::size_t max_size) const {
    WriterOptions options;
    options.type_hash.fill(std::byte{7});
    options.type_name = "std_msgs/msg/Test";
    options.topic = "/test";
    options.lease = id;
    options.depth = depth;
    options.max_size = max_size;
    options.readers = 64;
    return options;
  }
  ReaderOptions reader_options(std::uint32_t depth) const {
    ReaderOptions options;
    options.type_hash.fill(std::byte{7});
    options.lease = id;
    options.bell = bell->index();
    options.depth = depth;
    return options;
  }
  std::unique_ptr<Writer> writer(const WriterOptions& options) const {
    return Writer::create(domain, bells, options);
  }
  std::unique_ptr<Reader> reader(const Writer& writer, const ReaderOptions& options) const {
    return Reader::attach(domain, writer.path(), options);
  }
  std::unique_ptr<Reader> reader_of(const std::filesystem::path& segment,
                                    const ReaderOptions& options) const {
    return Reader::attach(domain, segment, options);
  }

  std::unique_ptr<Bells::Bell> bell;
};

/// Publishes `size` bytes that all follow from `seed`.
inline CommitResult publish(Writer& writer, std::size_t size, std::uint64_t seed) {
  auto filling = writer.begin(size);
  for (std::size_t i = 0; i < filling.bytes().size(); ++i)
    filling.bytes()[i] = static_cast<std::byte>(seed * 31 + i);
  return writer.commit(std::move(filling), {.published = SteadyTime{Duration{1}}, .publisher = seed});
}

/// Whether a message is what publish() wrote, by the seed that its header carries.
inline bool is_intact(const Reader::View& view) {
  for (std::size_t i = 0; i < view.bytes().size(); ++i) {
    if (view.bytes()[i] != static_cast<std::byte>(view.header().publisher * 31 + i)) return false;
  }
  return true;
}

inline std::vector<std::uint64_t> take_sequences(Reader& reader) {
  std::vector<std::uint64_t> sequences;
  while (const auto view = reader.take()) {
    EXPECT_TRUE(is_intact(*view));
    sequences.push_back(view->sequence());
  }
  return sequences;
}

inline std::uint64_t refused(const Writer& writer, Refusal reason) {
  return writer.counters().refused[static_cast<std::size_t>(reason)];
}

class ShmDataTest : public ::testing::Test {
 protected:
  TestBase base_;
  TestMember self_{base_.path()};
};

}  // namespace takt::shm

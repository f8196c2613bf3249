// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "takt/cli/known_type.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/msgs/message_parse.hpp"
#include "takt/transport/shm/discovery.hpp"
#include "takt/transport/shm/membership.hpp"
#include "takt/transport/shm/reader.hpp"
#include "takt/transport/shm/writer.hpp"

namespace takt::cli {

/// The test's own process as a member of a fresh domain, and the real program beside it.
class LiveTest : public ::testing::Test {
 protected:
  LiveTest() {
    char name[] = "/dev/shm/takt-cli-XXXXXX";
    base_ = ::mkdtemp(name);
    domain_ = std::make_unique<shm::Domain>(shm::Domain::open(base_, 0));
  }
  ~LiveTest() override {
    discovery_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }

  struct Run {
    int exit_code = -1;
    std::string out, err;
  };
  /// Runs takt in the domain, in bounded time.
  Run takt(const std::string& arguments, const std::string& limit = "timeout -k 5 60") const {
    const auto line = "TAKT_SHM_DIR=" + base_ + " ROS_DOMAIN_ID=0 " + limit + " " + TAKT_BIN_DIR + "/takt " +
                      arguments + " >" + base_ + "/out 2>" + base_ + "/err </dev/null";
    const int status = std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, text_of_path("out"), text_of_path("err")};
  }
  std::string text_of_path(const std::string& name) const {
    std::ifstream file(base_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void expect_schema(const std::string& schema, const std::string& how = "") const {
    const std::string root = TAKT_SOURCE_DIR;
    const auto line = "/usr/bin/python3 -B " + root + "/tools/validate_json.py " + how + " " + root +
                      "/docs/formats/" + schema + " " + base_ + "/out >&2";
    EXPECT_EQ(std::system(line.c_str()), 0);  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
  }

  void join() {
    self_ = std::make_unique<shm::Membership>(*domain_);
    bell_ = self_->bells->claim(0);
    discovery_ = std::make_unique<shm::Discovery>(*domain_, *self_->lease, shm::DiscoveryOwner{});
  }
  static shm::Endpoint endpoint(shm::EndpointKind kind, const std::string& topic, const std::string& type) {
    shm::Endpoint one{.kind = kind, .topic = topic, .type_name = type};
    one.type_hash = find_type(type, {}).hash;
    one.node = kind == shm::EndpointKind::publisher ? "/talker" : "/listener";
    return one;
  }
  /// A publisher of the test, announced; with `retained` a transient-local one.
  std::unique_ptr<shm::Writer> publisher(shm::Endpoint one, std::uint32_t retained = 0) {
    auto writer = shm::Writer::create(*domain_, self_->bells,
                                      {.type_hash = one.type_hash,
                                       .type_name = one.type_name,
                                       .topic = one.topic,
                                       .lease = self_->id,
                                       .publisher = 1,
                                       .depth = 10,
                                       .retained = retained,
                                       .readers = 16,
                                       .max_size = 4096});
    if (retained > 0) one.qos.durability = shm::EndpointQos::Durability::transient_local;
    one.segment = writer->path().filename().string();
    discovery_->add(one);
    return writer;
  }
  std::unique_ptr<shm::Writer> publisher(const std::string& topic, const std::string& type,
                                         std::uint32_t retained = 0) {
    return publisher(endpoint(shm::EndpointKind::publisher, topic, type), retained);
  }
  static void send(shm::Writer& writer, const std::vector<std::byte>& bytes) {
    auto filling = writer.begin_growing(shm::kLead + bytes.size());
    ASSERT_TRUE(filling);
    std::ranges::fill(filling.bytes().first(shm::kLead), std::byte{0});
    std::ranges::copy(bytes, filling.bytes().begin() + shm::kLead);
    const auto result = writer.commit(std::move(filling),
                                      {.published = SteadyClock::instance()->steady_now(), .publisher = 1});
    ASSERT_EQ(result.refusal, shm::Refusal::none);
  }
  static void send(shm::Writer& writer, const std::string& type, const std::string& yaml) {
    send(writer, msgs::parse_message(*find_type(type, {}).description, yaml));
  }

  std::string base_;
  std::unique_ptr<shm::Domain> domain_;
  std::unique_ptr<shm::Membership> self_;
  std::unique_ptr<shm::Bells::Bell> bell_;
  std::unique_ptr<shm::Discovery> discovery_;
};

}  // namespace takt::cli

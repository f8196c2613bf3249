// SPDX-License-Identifier: Apache-2.0
// Bytes that nobody wrote: valid messages with some bytes changed, cut or doubled. Nothing may crash (the
// sanitizers watch), and what one reader accepts the others accept. TAKT_TEST_LONG=1 tries many more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rmw_dds_common/msg/participant_entities_info.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <string>
#include <vector>
#include <visualization_msgs/msg/marker.hpp>

#include "takt/msgs/cdr.hpp"
#include "takt/msgs/describe.hpp"
#include "takt/msgs/message_parse.hpp"
#include "takt/msgs/message_text.hpp"
#include "takt/msgs/message_walk.hpp"
#include "takt/msgs/testing/random_message.hpp"

namespace takt::msgs {
namespace {

using Bytes = std::vector<std::byte>;

void mutate(Bytes& bytes, std::mt19937& random) {
  const auto below = [&random](std::size_t limit) { return random() % std::max<std::size_t>(limit, 1); };
  for (std::size_t change = 0; change <= below(4) && !bytes.empty(); ++change) {
    const std::size_t at = below(bytes.size());
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<std::byte>(random());
        break;
      case 1:
        bytes[at] ^= static_cast<std::byte>(1U << below(8));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    std::min<std::size_t>(4, bytes.size() - at), std::byte{0xFF});
        break;
      default:
        bytes.insert(bytes.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end());
        break;
    }
  }
}

/// Both readers on one mutant: the compiled type's and the description's.
template <typename T>
void read_both_ways(const Bytes& bytes) {
  T message;
  const CdrStatus typed = decode(bytes, message);
  const CdrStatus described = check(describe<T>(), bytes);
  ASSERT_EQ(static_cast<bool>(typed), static_cast<bool>(described))
      << typed.text() << " / " << described.text();
  std::string text;
  EXPECT_EQ(static_cast<bool>(append_yaml(describe<T>(), bytes, {}, text)), static_cast<bool>(described));
  if (!typed) {
    EXPECT_EQ(typed.problem(), described.problem()) << typed.text() << " / " << described.text();
    return;
  }
  Bytes again(serialized_size(message));
  ASSERT_EQ(encode(message, again), again.size());
  EXPECT_TRUE(check(describe<T>(), again));
}

template <typename T>
void try_mutants() {
  const bool is_long = std::getenv("TAKT_TEST_LONG") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  const int mutants = is_long ? 25'000 : 1'000;
  std::mt19937 random(20'26);
  int refused = 0;
  for (int i = 0; i < mutants; ++i) {
    Bytes bytes = testing::RandomMessage(static_cast<unsigned>(i) % 50, i % 3 == 0).of(describe<T>());
    mutate(bytes, random);
    refused += check(describe<T>(), bytes) ? 0 : 1;
    ASSERT_NO_FATAL_FAILURE(read_both_ways<T>(bytes)) << "mutant " << i;
  }
  EXPECT_GT(refused, mutants / 10);
}

TEST(MutationTest, ParameterEvents) { try_mutants<rcl_interfaces::msg::ParameterEvent>(); }
TEST(MutationTest, PointClouds) { try_mutants<sensor_msgs::msg::PointCloud2>(); }
TEST(MutationTest, Markers) { try_mutants<visualization_msgs::msg::Marker>(); }
TEST(MutationTest, Participants) { try_mutants<rmw_dds_common::msg::ParticipantEntitiesInfo>(); }

}  // namespace
}  // namespace takt::msgs

// SPDX-License-Identifier: Apache-2.0
// Encoding and decoding, each beside Fast-CDR (the library of ROS 2's own middleware) with the same messages.
#include <benchmark/benchmark.h>
#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>

#include <cstddef>
#include <geometry_msgs/msg/pose_array.hpp>
#include <sensor_msgs/msg/image.hpp>
#include <sensor_msgs/msg/imu.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <span>
#include <string>
#include <vector>

#include "takt/msgs/cdr.hpp"

namespace {

using takt::msgs::Fields;

/// Walks the same fields, and leaves each to Fast-CDR.
template <bool Reading>
struct ByFastCdr {
  eprosima::fastcdr::Cdr& cdr;

  template <typename T>
  bool operator()(const char*, T& value, std::size_t) {
    each(value);
    return true;
  }
  template <typename T>
  void each(T& value) {
    using Plain = std::remove_const_t<T>;
    if constexpr (takt::msgs::HasFields<Plain>) {
      Fields<Plain>::visit(value, *this);
    } else if constexpr (takt::msgs::kIsSequence<Plain>) {
      each_of_sequence(value);
    } else if constexpr (Reading) {
      cdr.deserialize(value);
    } else {
      cdr.serialize(value);
    }
  }
  template <typename T>
  void each_of_sequence(T& values) {
    if constexpr (takt::msgs::HasFields<typename T::value_type>) {
      auto count = static_cast<std::uint32_t>(values.size());
      each(count);
      if constexpr (Reading) values.resize(count);
      for (auto& value : values) each(value);
    } else if constexpr (Reading) {
      cdr.deserialize(values);
    } else {
      cdr.serialize(values);
    }
  }
};

template <typename T>
T filled();
template <>
sensor_msgs::msg::Imu filled() {
  sensor_msgs::msg::Imu message;
  message.header.frame_id = "imu_link";
  return message;
}
template <>
sensor_msgs::msg::JointState filled() {
  sensor_msgs::msg::JointState message;
  for (int i = 0; i < 12; ++i) message.name.push_back("a_joint_of_the_arm_" + std::to_string(i));
  message.position.resize(12);
  message.velocity.resize(12);
  return message;
}
template <>
geometry_msgs::msg::PoseArray filled() {
  geometry_msgs::msg::PoseArray message;
  message.poses.resize(1000);
  return message;
}
template <>
sensor_msgs::msg::Image filled() {
  sensor_msgs::msg::Image message;
  message.data.resize(std::size_t{1} << 20U);
  return message;
}

template <typename T>
void takt_encode(benchmark::State& state) {
  const T message = filled<T>();
  std::vector<std::byte> slot(takt::msgs::serialized_size(message));
  for (auto _ : state) {
    benchmark::DoNotOptimize(takt::msgs::encode(message, slot));
    benchmark::ClobberMemory();
  }
}

template <typename T>
void fast_cdr_encode(benchmark::State& state) {
  const T message = filled<T>();
  std::vector<char> slot(takt::msgs::serialized_size(message) + 64);
  for (auto _ : state) {
    eprosima::fastcdr::FastBuffer buffer(slot.data(), slot.size());
    eprosima::fastcdr::Cdr cdr(buffer, eprosima::fastcdr::Cdr::LITTLE_ENDIANNESS,
                               eprosima::fastcdr::Cdr::DDS_CDR);
    cdr.serialize_encapsulation();
    ByFastCdr<false>{cdr}.each(message);
    benchmark::ClobberMemory();
  }
}

template <typename T>
void takt_decode(benchmark::State& state) {
  T message = filled<T>();
  std::vector<std::byte> slot(takt::msgs::serialized_size(message));
  benchmark::DoNotOptimize(takt::msgs::encode(message, slot));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        static_cast<bool>(takt::msgs::decode(std::span<const std::byte>(slot), message)));
    benchmark::ClobberMemory();
  }
}

template <typename T>
void fast_cdr_decode(benchmark::State& state) {
  T message = filled<T>();
  std::vector<std::byte> slot(takt::msgs::serialized_size(message));
  benchmark::DoNotOptimize(takt::msgs::encode(message, slot));
  for (auto _ : state) {
    eprosima::fastcdr::FastBuffer buffer(reinterpret_cast<char*>(slot.data()), slot.size());
    eprosima::fastcdr::Cdr cdr(buffer, eprosima::fastcdr::Cdr::LITTLE_ENDIANNESS,
                               eprosima::fastcdr::Cdr::DDS_CDR);
    cdr.read_encapsulation();
    ByFastCdr<true>{cdr}.each(message);
    benchmark::ClobberMemory();
  }
}

#define TAKT_BENCH(type)            \
  BENCHMARK(takt_encode<type>);     \
  BENCHMARK(fast_cdr_encode<type>); \
  BENCHMARK(takt_decode<type>);     \
  BENCHMARK(fast_cdr_decode<type>)

TAKT_BENCH(sensor_msgs::msg::Imu);
TAKT_BENCH(sensor_msgs::msg::JointState);
TAKT_BENCH(geometry_msgs::msg::PoseArray);
TAKT_BENCH(sensor_msgs::msg::Image);
#undef TAKT_BENCH

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/published.hpp"

namespace takt::lab::comm {
namespace {

Table r2kernel() {
  return {
      .title = "Published: one host, means in us, 1000 Hz",
      .columns = {{"payload"}, {"stack", Align::left}, {"N = 1"}, {"2"}, {"4"}, {"8"}, {"16"}},
      .rows = {{"64 B", "R2Kernel Event", "23.808", "27.715", "29.772", "28.627", "37.935"},
               {"64 B", "ROS 2 + Cyclone DDS", "32.580", "32.288", "35.087", "50.491", "45.742"},
               {"64 B", "ROS 2 + Fast DDS", "31.486", "25.588", "31.159", "48.493", "80.485"},
               {"1 KiB", "R2Kernel Event", "27.984", "26.734", "26.828", "39.963", "29.071"},
               {"1 KiB", "ROS 2 + Cyclone DDS", "23.227", "24.555", "43.564", "48.412", "68.055"},
               {"1 KiB", "ROS 2 + Fast DDS", "32.733", "44.436", "46.545", "46.595", "60.788"},
               {"4 KiB", "R2Kernel Event", "23.880", "23.413", "24.373", "24.959", "32.066"},
               {"4 KiB", "ROS 2 + Cyclone DDS", "32.027", "33.042", "36.425", "41.923", "78.338"},
               {"4 KiB", "ROS 2 + Fast DDS", "31.364", "35.947", "43.651", "48.056", "65.958"}},
      .note =
          "Machine: two equivalent Ubuntu hosts (24.04, ROS 2 Jazzy), not described further. Fast DDS lost "
          "messages in every row, the others none."};
}

Table ros2_on_a_virtual_machine() {
  return {
      .title = "ROS 2 Jazzy between processes: p50 / p99 in us, 1 kHz, reliable, keep last 16",
      .columns = {{"payload"}, {"stack", Align::left}, {"N = 1"}, {"4"}, {"16"}},
      .rows = {{"64 B", "rclcpp + Cyclone DDS", "84 / 233", "154 / 307", "395 / 760"},
               {"64 B", "rclcpp + Cyclone DDS over iceoryx", "70 / 147", "126 / 383", "435 / 1262"},
               {"64 B", "rclcpp + Fast DDS", "160 / 702", "210 / 670", "556 / 1767"},
               {"4 KiB", "rclcpp + Cyclone DDS", "90 / 265", "161 / 674", "439 / 2040"},
               {"4 KiB", "rclcpp + Fast DDS", "137 / 335", "217 / 785", "590 / 3060"},
               {"64 KiB", "rclcpp + Cyclone DDS", "228 / 516", "438 / 1399", "1299 at 616 Hz"},
               {"64 KiB", "rclcpp + Fast DDS", "166 / 628", "242 / 538", "861 at 790 Hz"},
               {"1 MiB", "rclcpp + Cyclone DDS", "1.9 ms, 14 % lost", "6.4 ms", "not finished"},
               {"1 MiB", "rclcpp + Fast DDS", "10 ms, 9 % lost", "32 ms, 24 % lost", "134 ms, 15 % lost"},
               {"1 MiB", "Cyclone DDS over iceoryx, loaned", "64 / 198", "119 / 451", "420 / 917"}},
      .note =
          "Machine: 2 cores of an AMD EPYC virtual machine (KVM), Linux 6.18, Debian 12; Cyclone DDS 0.10.5, "
          "Fast DDS 2.14, built Release."};
}

}  // namespace

std::vector<Table> published_tables() { return {r2kernel(), ros2_on_a_virtual_machine()}; }

}  // namespace takt::lab::comm

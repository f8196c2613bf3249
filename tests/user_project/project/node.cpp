// A node that hears its own message of its own type, once.
#include <chrono>
#include <iostream>
#include <memory>
#include <my_msgs/msg/wheel_speed.hpp>
#include <takt/takt.hpp>

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  takt::init(argc, argv);
  const auto node = std::make_shared<takt::Node>("wheel");
  const auto publisher = node->create_publisher<my_msgs::msg::WheelSpeed>("speed", 1);
  const auto subscription = node->create_subscription<my_msgs::msg::WheelSpeed>(
      "speed", 1, [](const my_msgs::msg::WheelSpeed& speed) {
        std::cout << "the wheel turns at " << speed.left << std::endl;
        takt::shutdown();
      });
  const auto timer = node->create_timer(10ms, [&] {
    my_msgs::msg::WheelSpeed speed;
    speed.left = 1.5;
    publisher->publish(speed);
  });
  takt::Executor executor;
  executor.add_node(node);
  executor.spin();
}

#include <iostream>
#include <my_msgs/msg/wheel_speed.hpp>

#include "takt/msgs/type_name.hpp"

int main() {
  my_msgs::msg::WheelSpeed speed;
  speed.header.frame_id = "wheel";
  std::cout << takt::type_name<my_msgs::msg::WheelSpeed>() << " left " << speed.left << " frame "
            << speed.header.frame_id << '\n';
}

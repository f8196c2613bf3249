// SPDX-License-Identifier: Apache-2.0
// Two programs that find each other: this one publishes, listener.cpp subscribes. Start both, in any order.
//   example_talker      until Ctrl-C
#include <cstdio>
#include <exception>
#include <memory>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <takt/takt.hpp>

using namespace std::chrono_literals;
using std_msgs::msg::String;

class Talker : public takt::Node {
 public:
  Talker() : Node("talker") {
    publisher_ = create_publisher<String>("chatter", 10);
    timer_ = create_timer(20ms, [this] { say_hello(); }, {.name = "say_hello"});
  }

 private:
  void say_hello() {
    auto message = publisher_->borrow();  // from a pool
    message->data = "hello " + std::to_string(++count_);
    publisher_->publish(std::move(message));
  }

  takt::Publisher<String>::SharedPtr publisher_;
  takt::Timer::SharedPtr timer_;
  int count_ = 0;
};

int main(int argc, char** argv) try {
  takt::init(argc, argv);
  takt::spin(std::make_shared<Talker>());
} catch (const std::exception& error) {
  std::fprintf(stderr, "takt: %s\n", error.what());
  return 3;
}

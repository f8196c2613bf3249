// SPDX-License-Identifier: Apache-2.0
// Hears what talker.cpp, in another process, publishes. The deadline runs from there: from publish() to the
// end of the callback here.
//   example_listener [messages]      ends after so many, or at Ctrl-C, with the verdict of its callback
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <std_msgs/msg/string.hpp>
#include <takt/takt.hpp>

using namespace std::chrono_literals;
using std_msgs::msg::String;

class Listener : public takt::Node {
 public:
  explicit Listener(long messages) : Node("listener"), left_(messages) {
    subscription_ = create_subscription<String>(
        "chatter", 10, [this](const String& message) { hear(message); }, {.deadline = 10ms});
  }

 private:
  void hear(const String& message) {
    std::printf("heard: %s\n", message.data.c_str());
    if (--left_ == 0) takt::shutdown();
  }

  takt::Subscription<String>::SharedPtr subscription_;
  long left_;  // less than 0: without end
};

int main(int argc, char** argv) try {
  takt::init(argc, argv);
  takt::spin(std::make_shared<Listener>(argc > 1 ? std::strtol(argv[1], nullptr, 10) : -1));
} catch (const std::exception& error) {
  std::fprintf(stderr, "takt: %s\n", error.what());
  return 3;
}

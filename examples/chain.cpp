// SPDX-License-Identifier: Apache-2.0
// Deadlines from end to end. camera -> detector -> planner is followed through the messages by itself. The
// controller works on data that it has kept, so it names the origin of what it publishes: the oldest input.
#include <cstdio>
#include <memory>
#include <std_msgs/msg/float64.hpp>
#include <takt/takt.hpp>

using namespace std::chrono_literals;
using std_msgs::msg::Float64;

class Robot : public takt::Node {
 public:
  Robot() : Node("robot") {
    image_ = create_publisher<Float64>("image", 10);
    object_ = create_publisher<Float64>("object", 10);
    camera_ = create_timer(20ms, [this] { image_->publish(Float64{}); }, {.name = "camera"});
    detector_ = create_subscription<Float64>(
        "image", 10, [this](const Float64& image) { object_->publish(image); }, {.name = "detector"});
    planner_ = create_subscription<Float64>(
        "object", 10, [this](const Float64& object) { obstacle_ = object.data; }, {.name = "planner"});
    context()->add_chain("camera to planner", "camera", "planner", 20ms);

    range_ = create_publisher<Float64>("range", 10);
    attitude_ = create_publisher<Float64>("attitude", 10);
    command_ = create_publisher<Float64>("command", 10);
    lidar_ = create_timer(50ms, [this] { range_->publish(Float64{}); }, {.name = "lidar"});
    imu_ = create_timer(5ms, [this] { attitude_->publish(Float64{}); }, {.name = "imu"});
    ranges_ = create_subscription<Float64>(
        "range", 10, [this](const Float64&, const takt::MessageInfo& info) { range_origin_ = info.origin; },
        {.name = "ranges"});
    attitudes_ = create_subscription<Float64>(
        "attitude", 10,
        [this](const Float64&, const takt::MessageInfo& info) { attitude_origin_ = info.origin; },
        {.name = "attitudes"});
    controller_ = create_timer(10ms, [this] { control(); }, {.name = "controller"});
    motor_ = create_subscription<Float64>("command", 10, [](const Float64&) {}, {.name = "motor"});
    // a command may rest on a range as old as the lidar's period and one of the controller's
    context()->add_chain("lidar to motor", "lidar", "motor", 100ms);

    end_ = create_timer(1s, [] { takt::shutdown(); }, {.deadline = takt::Deadline::none(), .name = "end"});
  }

 private:
  void control() {
    command_->publish(Float64{}, takt::timing::Origin::oldest(range_origin_, attitude_origin_));
  }

  takt::Publisher<Float64>::SharedPtr image_, object_, range_, attitude_, command_;
  takt::Subscription<Float64>::SharedPtr detector_, planner_, ranges_, attitudes_, motor_;
  takt::Timer::SharedPtr camera_, lidar_, imu_, controller_, end_;
  takt::timing::Origin range_origin_, attitude_origin_;
  double obstacle_ = 0;
};

int main(int argc, char** argv) {
  takt::init(argc, argv);
  takt::Executor executor;
  executor.add_node(std::make_shared<Robot>());
  executor.spin();

  for (const auto& verdict : takt::default_context()->verdicts()) {
    if (verdict.kind != takt::timing::SectionKind::chain) continue;
    std::printf("%s: %d completions, p50 %.3f ms, max %.3f ms, %d misses\n", verdict.name.c_str(),
                static_cast<int>(verdict.activations), takt::to_ms(verdict.response.p50),
                takt::to_ms(verdict.response.max), static_cast<int>(verdict.misses));
  }
}

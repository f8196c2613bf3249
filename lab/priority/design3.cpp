// SPDX-License-Identifier: Apache-2.0
// Design 3: a pipeline through three nodes on the real-time executor.
#include <sensor_msgs/msg/image.hpp>
#include <vision_msgs/msg/detection3_d.hpp>

#include "lab/priority/designs.hpp"
#include "takt/core/system_clock.hpp"

namespace takt::lab::priority {
namespace {

using namespace std::chrono_literals;
using sensor_msgs::msg::Image;
using vision_msgs::msg::Detection3D;

constexpr std::uint32_t kFewLoans = 8;  // at most two are on their way at a time

/// A node of the pipeline: a group for what is critical in it, and a timer in the default group that reports
/// its state.
class PipelineNode : public Node {
 public:
  PipelineNode(const std::string& name, const DesignSetup& setup)
      : Node(name, {.context = setup.context}), work_(setup.work) {
    real_time_group_ = create_callback_group(CallbackGroupType::MutuallyExclusive, false);
    state_timer_ = create_timer(100ms, [this] { work_.burn(1ms); }, {.name = name + "/state"});
  }

  const CallbackGroup::SharedPtr& real_time_group() const { return real_time_group_; }

 protected:
  const Work work_;

 private:
  CallbackGroup::SharedPtr real_time_group_;
  Timer::SharedPtr state_timer_;
};

class SensorDriver : public PipelineNode {
 public:
  explicit SensorDriver(const DesignSetup& setup) : PipelineNode("sensor_driver", setup) {
    publisher_ = create_publisher<Image>("image", 100, {.loans = kFewLoans});
    timer_ =
        create_timer(10ms, [this] { produce(); }, {.name = "sensor_driver/scan", .group = real_time_group()});
  }

 private:
  void produce() {
    work_.burn(200us);
    auto image = publisher_->borrow();
    if (!image) return;
    const auto since_1970 = SystemClock::instance()->now().time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_1970);
    image->header.stamp.sec = static_cast<std::int32_t>(seconds.count());
    image->header.stamp.nanosec = static_cast<std::uint32_t>((since_1970 - seconds).count());
    image->header.frame_id = "camera";
    image->height = 48;
    image->width = image->step = 64;
    image->encoding = "mono8";
    image->data.resize(std::size_t{64} * 48);
    publisher_->publish(std::move(image));
  }

  Publisher<Image>::SharedPtr publisher_;
  Timer::SharedPtr timer_;
};

class ObstacleDetector : public PipelineNode {
 public:
  explicit ObstacleDetector(const DesignSetup& setup) : PipelineNode("obstacle_detector", setup) {
    publisher_ = create_publisher<Detection3D>("obstacles", 100, {.loans = kFewLoans});
    subscription_ = create_subscription<Image>(
        "image", 100, [this](const Image& image) { detect(image); },
        {.callback_group = real_time_group(), .deadline = 10ms, .name = "obstacle_detector/detect"});
  }

 private:
  void detect(const Image& image) {
    work_.burn(5ms);
    auto obstacle = publisher_->borrow();
    if (!obstacle) return;
    obstacle->header = image.header;
    obstacle->id = "obstacle";
    publisher_->publish(std::move(obstacle));
  }

  Publisher<Detection3D>::SharedPtr publisher_;
  Subscription<Image>::SharedPtr subscription_;
};

class BrakeActuator : public PipelineNode {
 public:
  explicit BrakeActuator(const DesignSetup& setup) : PipelineNode("brake_actuator", setup) {
    subscription_ = create_subscription<Detection3D>(
        "obstacles", 100, [this](const Detection3D&) { work_.burn(2ms); },
        {.callback_group = real_time_group(), .deadline = 10ms, .name = "brake_actuator/react"});
  }

 private:
  Subscription<Detection3D>::SharedPtr subscription_;
};

class Logger : public Node {
 public:
  explicit Logger(const DesignSetup& setup) : Node("logger", {.context = setup.context}), work_(setup.work) {
    timer_ = create_timer(10ms, [this] { work_.burn(2ms); }, {.name = "logger/timer"});
  }

 private:
  Work work_;
  Timer::SharedPtr timer_;
};

}  // namespace

Nodes make_design_3(const DesignSetup& setup, TwoExecutors& executors) {
  auto sensor = std::make_shared<SensorDriver>(setup);
  auto detector = std::make_shared<ObstacleDetector>(setup);
  auto brake = std::make_shared<BrakeActuator>(setup);
  auto logger = std::make_shared<Logger>(setup);

  for (const auto& node :
       {std::static_pointer_cast<PipelineNode>(sensor), std::static_pointer_cast<PipelineNode>(detector),
        std::static_pointer_cast<PipelineNode>(brake)}) {
    executors.rest().add_node(node);
    executors.critical().add_callback_group(node->real_time_group());
  }
  executors.rest().add_node(logger);
  setup.context->add_chain("sensor to brake", "sensor_driver/scan", "brake_actuator/react", 10ms);
  return {sensor, detector, brake, logger};
}

}  // namespace takt::lab::priority

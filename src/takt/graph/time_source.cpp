// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/time_source.hpp"

#include <chrono>
#include <future>
#include <rosgraph_msgs/msg/clock.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/log.hpp"
#include "takt/graph/clock_receiver.hpp"
#include "takt/graph/context.hpp"
#include "takt/graph/executor.hpp"
#include "takt/graph/spin.hpp"

namespace takt {

/// An executor with its thread. Where that thread itself drops it, it ends by itself and takes along what it
/// uses.
class TimeSource::Thread {
 public:
  Thread(const std::shared_ptr<Context>& context, const CallbackGroup::SharedPtr& group) {
    auto options = context->options().clock_thread;
    options.name = "clock";
    options.threads = 1;
    options.context = context;
    used_ = std::make_shared<Used>(options, group);
    std::promise<void> ended;
    auto end = ended.get_future();
    start([used = used_, ended = std::move(ended)]() mutable { run(*used, ended); });
    wait_until_granted(end);
  }
  ~Thread() {
    used_->executor.cancel();
    if (thread_.get_id() == std::this_thread::get_id()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

 private:
  struct Used {
    Used(const ExecutorOptions& options, CallbackGroup::SharedPtr its_group)
        : group(std::move(its_group)), executor(options) {
      executor.add_callback_group(group);
    }
    CallbackGroup::SharedPtr group;
    Executor executor;
  };

  template <class Run>
  void start(Run run) {
    try {
      thread_ = std::thread(std::move(run));
    } catch (const std::system_error& error) {
      throw no_thread_left("executor clock, which receives /clock,", error);
    }
  }

  static void run(Used& used, std::promise<void>& ended) {
    try {
      used.executor.spin();
      ended.set_value();
    } catch (const std::exception& error) {
      if (!used.executor.granted().empty())
        log::write(log::Level::error, "clock", "the thread that receives /clock ended: {}", error.what());
      ended.set_exception(std::current_exception());
    }
  }

  /// Whoever makes the thread shall hear what the kernel refuses to it.
  void wait_until_granted(std::future<void>& end) {
    constexpr auto kLook = std::chrono::microseconds{100};
    while (end.wait_for(kLook) != std::future_status::ready) {
      if (!used_->executor.granted().empty()) return;
    }
    if (!used_->executor.granted().empty()) return;
    try {
      end.get();
    } catch (...) {
      thread_.join();
      throw;
    }
  }

  std::shared_ptr<Used> used_;
  std::thread thread_;
};

TimeSource::TimeSource(const std::shared_ptr<Context>& context, const std::string& node,
                       CallbackGroup::SharedPtr group)
    : house_(context->house()), receiver_(std::make_shared<ClockReceiver>(context->clock())) {
  SubscriptionOptions options;
  options.name = "clock";
  auto receive = [receiver = receiver_](const rosgraph_msgs::msg::Clock& message, const MessageInfo& info) {
    receiver->received(message.clock.sec, message.clock.nanosec, info);
  };
  subscription_ = std::make_shared<Subscription<rosgraph_msgs::msg::Clock>>(
      context, node, "/clock", ClockQoS(), std::move(receive), options, std::move(group));
  receiver_->hears(subscription_);
  house_task_ = context->house().add([receiver = receiver_] { return receiver->watch(); });
}

std::shared_ptr<TimeSource> TimeSource::in_group(const std::shared_ptr<Context>& context,
                                                 const std::string& node, CallbackGroup::SharedPtr group) {
  return std::shared_ptr<TimeSource>(new TimeSource(context, node, std::move(group)));
}

std::shared_ptr<TimeSource> TimeSource::on_own_thread(const std::shared_ptr<Context>& context,
                                                      const std::string& node) {
  CallbackGroupOptions options;
  options.automatically_add = false;
  options.name = "clock";
  auto group = std::make_shared<CallbackGroup>(context, node, CallbackGroupType::MutuallyExclusive, options);
  auto source = in_group(context, node, group);
  source->thread_ = std::make_unique<Thread>(context, group);
  return source;
}

TimeSource::~TimeSource() {
  house_task_.reset();
  subscription_.reset();  // waits for a running callback, unless this is its thread
  thread_.reset();
}

void TimeSource::feed(const std::shared_ptr<RosTime>& time, const std::string& node) {
  receiver_->feed(time, node);
  house_.stir();  // which may sleep, because the clock stands
}
void TimeSource::leave(const RosTime& time) { receiver_->leave(time); }

}  // namespace takt

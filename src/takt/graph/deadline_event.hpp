// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "takt/graph/callback_group.hpp"
#include "takt/graph/executable.hpp"
#include "takt/graph/silence.hpp"

namespace takt {

/// Looks for silences and calls back. It looks once per period at most: messages do not wake it, they move
/// what it finds when its time comes.
class DeadlineEvent final : public Executable {
 public:
  /// Both counts, at most INT32_MAX.
  using Callback = std::function<void(std::int32_t total, std::int32_t change)>;
  /// The time of the newest message that is known of, heard or not. Real-time: wait-free.
  using Newest = std::function<SteadyTime()>;

  DeadlineEvent(timing::Monitor& monitor, timing::Section& section, std::shared_ptr<Silence> silence,
                Callback callback, Newest newest);

  std::optional<timing::Outcome> run(RunContext& context) override;
  bool has_work() const noexcept override { return false; }
  SteadyTime due() const noexcept override;
  Duration period() const noexcept override { return silence_->longest(); }
  void spin_begins(SteadyTime now) noexcept override;

  /// Counts from now on, unless it does already. Any thread. Real-time: wait-free, and one futex wake.
  void begin(SteadyTime now) noexcept;

 private:
  void look_again() noexcept;
  void look_again_at(SteadyTime time) noexcept;

  const std::shared_ptr<Silence> silence_;
  const Callback callback_;
  const Newest newest_;
  std::atomic<std::int64_t> due_ns_;
  std::atomic<std::uint64_t> total_{0};
};

/// An event in its group, for as long as the publisher or subscription has it. Empty: there is none.
class DeadlineEventHandle {
 public:
  DeadlineEventHandle() noexcept = default;
  /// `name`: of its section. Allocates.
  DeadlineEventHandle(Context& context, const std::string& node, const std::string& name, Duration longest,
                      CallbackGroup::SharedPtr group, DeadlineEvent::Callback callback,
                      DeadlineEvent::Newest newest = {});
  ~DeadlineEventHandle() { leave(); }
  DeadlineEventHandle(DeadlineEventHandle&&) noexcept = default;
  DeadlineEventHandle& operator=(DeadlineEventHandle&&) noexcept = default;  // to an empty one only

  explicit operator bool() const noexcept { return event_ != nullptr; }
  const std::shared_ptr<DeadlineEvent>& event() const noexcept { return event_; }
  const std::shared_ptr<Silence>& silence() const noexcept { return silence_; }
  /// Its group's executor runs it from now on.
  void enter() {
    if (event_) group_->add(event_);
  }
  /// No event starts afterwards; as CallbackGroup::remove().
  void leave() noexcept;

 private:
  CallbackGroup::SharedPtr group_;
  std::shared_ptr<Silence> silence_;
  std::shared_ptr<DeadlineEvent> event_;
};

}  // namespace takt

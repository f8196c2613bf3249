// SPDX-License-Identifier: Apache-2.0
#include "takt/sim/pacing_thread.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "takt/core/futex.hpp"
#include "takt/timing/recorder.hpp"

namespace takt::sim {
namespace {

constexpr Duration kStatisticsPeriod = std::chrono::milliseconds{100};

std::uint32_t whole_steps(Duration dropped, Duration wall_step) noexcept {
  if (wall_step == Duration::zero()) return 0;
  return static_cast<std::uint32_t>(
      std::min<Duration::rep>(dropped / wall_step, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

PacingThread::PacingThread(timing::Monitor& monitor, ClockOutputs& outputs, const Options& options)
    : clock_(monitor.clock()),
      monitor_(monitor),
      outputs_(outputs),
      thread_options_(options.thread),
      real_time_(is_real_time(options.thread.scheduling)),
      sections_(monitor),
      world_(options.world),
      pacer_(options.world.step, options.world.rtf),
      section_(sections_.of(pacer_.wall_step())) {
  const ClockCommand pace{.kind = ClockCommand::Kind::set_rtf, .rtf = options.world.rtf};
  if (const auto refusal = refused_beforehand(pace)) throw SetupError(words_of(*refusal, pace, {}));
  if (options.events > 0) events_ = std::make_unique<ClockEvents>(options.events);
  std::promise<void> begun;
  auto started = begun.get_future();
  thread_ = std::thread([this, begun = std::move(begun)]() mutable { run(begun); });
  try {
    started.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

PacingThread::~PacingThread() { stop(); }

void PacingThread::stop() {
  stopped_.store(true);  // before the lock: those who ask again and again shall not keep it from us
  const std::lock_guard lock(mutex_);
  end();
}

void PacingThread::end() {
  if (!thread_.joinable()) return;
  stop_.store(true);
  wake();
  thread_.join();
}

void PacingThread::wake() noexcept {
  word_.fetch_add(1);
  futex::wake(word_);
}

std::optional<Refusal> PacingThread::refused_beforehand(const ClockCommand& command) {
  if (command.kind != ClockCommand::Kind::set_rtf) return std::nullopt;
  if (!is_factor(command.rtf)) return Refusal::bad_factor;
  if (is_flat_out(command.rtf) && real_time_) return Refusal::flat_out_real_time;
  return std::nullopt;
}

ClockOutcome PacingThread::command(const ClockCommand& command) {
  const std::lock_guard lock(mutex_);
  if (stopped_.load()) {
    end();
    return {Refusal::stopped, status()};
  }
  mailbox_ = {command, nullptr, {}};
  auto refusal = refused_beforehand(command).value_or(Refusal::none);
  if (command.kind == ClockCommand::Kind::set_rtf && refusal == Refusal::none) {
    const auto wall_step = Pacer(world_.step_length(), command.rtf).wall_step();
    mailbox_.section = sections_.of(wall_step);
    if (mailbox_.section == nullptr && wall_step != Duration::zero()) refusal = Refusal::too_many_factors;
  }
  if (refusal != Refusal::none) mailbox_.command.kind = ClockCommand::Kind::status;
  const auto seen = answered_.load();
  has_command_.store(true);
  wake();
  while (answered_.load() == seen) futex::wait(answered_, seen, kNever);
  if (refusal != Refusal::none) mailbox_.outcome.refusal = refusal;
  return mailbox_.outcome;
}

std::optional<ClockEvent> PacingThread::take_event() noexcept {
  return events_ ? events_->take() : std::nullopt;
}

std::vector<timing::Verdict> PacingThread::verdicts() {
  const std::lock_guard lock(mutex_);
  return sections_.verdicts();
}

void PacingThread::run(std::promise<void>& begun) {
  std::optional<timing::Recorder> recorder;
  try {
    granted_ = apply_to_this_thread(thread_options_);
    recorder.emplace(monitor_, thread_options_, granted_);
  } catch (...) {
    return begun.set_exception(std::current_exception());
  }
  begun.set_value();
  loop(*recorder);
}

void PacingThread::loop(timing::Recorder& recorder) {
  pacer_.start(now());
  while (true) {
    const auto seen = word_.load();  // read before the mailbox: what comes later ends the wait
    if (has_command_.load()) answer();
    if (stop_.load()) return;
    const auto time = now();
    if (time < pacer_.target()) {
      wait(recorder, seen);
    } else {
      iterate(recorder, time);
    }
  }
}

void PacingThread::wait(timing::Recorder& recorder, std::uint32_t seen) noexcept {
  recorder.before_wait();
  clock_.wait(word_, seen, pacer_.target());
  recorder.after_wait(now());
}

void PacingThread::answer() noexcept {
  has_command_.store(false);
  mailbox_.outcome.refusal = carry_out(mailbox_);
  mailbox_.outcome.status = status();
  answered_.fetch_add(1);
  futex::wake(answered_);
}

Refusal PacingThread::carry_out(const Mail& mail) noexcept {
  using Kind = ClockCommand::Kind;
  switch (mail.command.kind) {
    case Kind::status:
      return Refusal::none;
    case Kind::pause:
      return world_.pause();
    case Kind::resume:
      return world_.resume();
    case Kind::step:
      return world_.step(mail.command.steps);
    case Kind::run_to:
      return world_.run_to(mail.command.time);
    case Kind::reset:
      factors_.reset();
      return world_.reset();
    case Kind::set_rtf:
      pacer_.set_rtf(mail.command.rtf, now());
      section_ = mail.section;
      skipped_ = 0;
      new_pace_ = true;
      return Refusal::none;
  }
  return Refusal::unknown_command;
}

void PacingThread::iterate(timing::Recorder& recorder, SteadyTime now) {
  if (section_ == nullptr) {
    publish(now);
  } else {
    timing::Trigger trigger;
    trigger.release = ClockTime{pacer_.target().time_since_epoch()};
    trigger.start = now;
    trigger.skipped = std::exchange(skipped_, 0);
    auto activation = recorder.begin(*section_, trigger);
    publish(now);
    recorder.end(activation);
  }
  keep_pace();
}

void PacingThread::publish(SteadyTime now) {
  const bool moved = world_.advance();
  outputs_.publish_time(world_.now());
  factors_.add(world_.now(), now, !moved);
  if (iterations_++ == 0) first_ = now;
  // The first publish after a change of pace, or of a clock that stands flat out, has no fixed distance.
  const bool paced = !std::exchange(new_pace_, false);
  if (events_) events_->add(now, world_.now(), paced ? pacer_.wall_step() : Duration::zero());
  last_ = now;
  outputs_.publish_factor(factors_.factors().iteration);
  if (now - last_statistics_ >= kStatisticsPeriod) {
    last_statistics_ = now;
    outputs_.publish_statistics(status());
  }
}

void PacingThread::keep_pace() noexcept {
  const auto dropped = pacer_.dropped();
  pacer_.advance(now(), world_.paused());
  skipped_ = whole_steps(pacer_.dropped() - dropped, pacer_.wall_step());
}

ClockStatus PacingThread::status() const noexcept {
  ClockStatus out;
  out.sim_time = world_.now();
  out.at = last_;
  out.first = first_;
  out.state = world_.state();
  out.steps_left = world_.steps_left();
  out.target_rtf = pacer_.rtf();
  out.factors = factors_.factors();
  out.window = factors_.window();
  out.iterations = iterations_;
  out.late_iterations = pacer_.late();
  out.dropped = pacer_.dropped();
  out.sim_gained = factors_.sim_gained();
  out.wall_gained = factors_.wall_gained();
  return out;
}

}  // namespace takt::sim

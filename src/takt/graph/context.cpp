// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/context.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "takt/core/log.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/core/version.hpp"
#include "takt/graph/executor_core.hpp"
#include "takt/graph/host_link.hpp"
#include "takt/graph/ros_time.hpp"
#include "takt/graph/signals.hpp"
#include "takt/graph/time_source.hpp"
#include "takt/graph/topic_registry.hpp"

namespace takt {

namespace {

/// Longer than the fold holds records back.
constexpr Duration kSectionsLinger = timing::kLongestHold + std::chrono::milliseconds{500};

std::atomic<bool> g_process_exits{false};  // the process has one exit

std::unique_ptr<HostLink> join_host(const InitOptions& options) {
  const auto range =
      options.discovery == DiscoveryRange::environment ? discovery_range_of_environment() : options.discovery;
  const bool own_clock = options.clock != nullptr && options.clock != SteadyClock::instance();
  if (range == DiscoveryRange::off || own_clock) return nullptr;
  return std::make_unique<HostLink>(HostLink::Options{options.shm_folder, options.domain_id});
}

void run_shutdown_callback(const std::function<void()>& callback) {
  try {
    callback();
  } catch (const std::exception& error) {
    log::write(log::Level::error, "context", "a shutdown callback threw: {}", error.what());
  } catch (...) {
    log::write(log::Level::error, "context", "a shutdown callback threw");
  }
}

}  // namespace

Context::SharedPtr Context::make(InitOptions options) { return SharedPtr(new Context(std::move(options))); }

Context::Context(InitOptions options)
    : options_(std::move(options)),
      clock_(options_.clock ? options_.clock : SteadyClock::instance()),
      monitor_(std::make_unique<timing::Monitor>(
          timing::MonitorOptions{.clock = clock_, .last_misses = options_.last_misses})),
      host_(join_host(options_)),
      topics_(std::make_unique<TopicRegistry>(*this)) {
  if (options_.handle_signals) {
    signals::handle_for(signalled_);
    handles_signals_.store(true);
  }
  house_task_ = house().add([this] { return house_round(); });
  if (options_.handle_signals) signals::add_bell(house().bell());
}

Context::~Context() {
  shutdown("context destroyed");
  if (options_.handle_signals) {
    signals::remove_bell(house().bell());
    stop_handling_signals();
  }
  house_task_.reset();
  retired_.clear();
  cores_.clear();
}

void Context::stop_handling_signals() noexcept {
  if (handles_signals_.exchange(false)) signals::stop_handling_for(signalled_);
}

bool Context::ok() const noexcept { return ok_.load() && signalled_.load(std::memory_order_relaxed) == 0; }

void Context::shutdown(const std::string& reason) {
  std::vector<std::function<void()>> callbacks;
  {
    const std::lock_guard lock(shutdown_mutex_);
    if (ok_.exchange(false)) {
      reason_ = reason;
      callbacks.swap(on_shutdown_);
    }
  }
  for (const auto& callback : callbacks) run_shutdown_callback(callback);
  {
    const std::lock_guard lock(graph_mutex_);
    for (const auto& core : cores_) core->ring_all();
  }
  end_times();
  stop_handling_signals();  // it ends already: the next Ctrl-C has its former effect
  if (spinning_.load() == 0) print_verdicts();
}

bool Context::process_exits() noexcept { return g_process_exits.load(std::memory_order_relaxed); }

void Context::end_with_process() noexcept {
  g_process_exits.store(true, std::memory_order_relaxed);
  try {
    shutdown("exit");
    print_verdicts();
  } catch (const std::exception& error) {
    std::cerr << "takt: at exit: " << error.what() << '\n';
  }
}

std::shared_ptr<TimeSource> Context::time_source(const std::string& node) {
  const std::lock_guard lock(time_mutex_);
  auto source = time_source_.lock();
  if (!source) time_source_ = source = TimeSource::on_own_thread(shared_from_this(), node);
  return source;
}

void Context::add(const std::shared_ptr<RosTime>& time) {
  const std::lock_guard lock(time_mutex_);
  std::erase_if(times_, [](const auto& one) { return one.expired(); });
  times_.push_back(time);
  if (!ok_.load()) time->end();
}

void Context::end_times() noexcept {
  const std::lock_guard lock(time_mutex_);
  for (const auto& one : times_) {
    if (const auto time = one.lock()) time->end();
  }
}

std::string Context::shutdown_reason() const {
  const std::lock_guard lock(shutdown_mutex_);
  return reason_;
}

void Context::on_shutdown(std::function<void()> callback) {
  const std::lock_guard lock(shutdown_mutex_);
  on_shutdown_.push_back(std::move(callback));
}

timing::Section& Context::add_chain(const std::string& name, const std::string& from, const std::string& to,
                                    Deadline deadline) {
  timing::ChainOptions options;
  static_cast<DeadlineOptions&>(options) = std::move(deadline);
  options.name = name;
  options.from = from;
  options.to = to;
  return monitor_->add_chain(std::move(options));
}

void Context::retire(std::shared_ptr<Executable> callback) {
  {
    const std::lock_guard lock(retired_mutex_);
    retired_.push_back(std::move(callback));
  }
  house().stir();
}

/// Destroys the callbacks that nobody holds any more. Those that a publisher's list or a user's handle still
/// holds wait until they are let go of and the house has something to do again.
bool Context::let_go_of_retired() {
  std::vector<std::shared_ptr<Executable>> last;
  {
    const std::lock_guard lock(retired_mutex_);
    std::erase_if(retired_, [&](auto& callback) {
      if (callback.use_count() > 1) return false;
      last.push_back(std::move(callback));
      return true;
    });
  }
  const auto now = SteadyClock::instance()->steady_now();
  for (const auto& callback : last) closing_.push_back({&callback->section(), now});
  return !last.empty();
}

/// The records of the last activations of a callback that is gone may still be on their way.
bool Context::close_sections() {
  const auto due = SteadyClock::instance()->steady_now() - kSectionsLinger;
  std::erase_if(closing_, [&](const Closing& closing) {
    if (closing.since > due) return false;
    monitor_->retire(*closing.section);
    return true;
  });
  return !closing_.empty();
}

bool Context::house_round() {
  const bool busy = let_go_of_retired();
  const bool closing = close_sections();
  if (signalled_.load() != 0 &&
      ok_.load()) {  // shutdown callbacks run in an ordinary thread, not in the handler
    shutdown(std::string("signal ") + sigdescr_np(signals::last_signal()));
  }
  return busy || closing;
}

GroupState& Context::acquire_group_state() {
  const std::lock_guard lock(graph_mutex_);
  const auto free = std::find_if(free_group_states_.begin(), free_group_states_.end(),
                                 [](const GroupState* state) { return !state->busy.load(); });
  if (free == free_group_states_.end()) return group_states_.emplace_back();
  GroupState& state = **free;
  free_group_states_.erase(free);
  return state;
}

void Context::release_group_state(GroupState& state) {
  const std::lock_guard lock(graph_mutex_);
  state.home.store(nullptr);
  free_group_states_.push_back(&state);  // its last activation may still run, when that one dropped the group
}

ExecutorCore& Context::acquire_core() {
  const std::lock_guard lock(graph_mutex_);
  if (free_cores_.empty()) return *cores_.emplace_back(std::make_unique<ExecutorCore>(*this));
  ExecutorCore* core = free_cores_.back();
  free_cores_.pop_back();
  return *core;
}

void Context::release_core(ExecutorCore& core) {
  const std::lock_guard lock(graph_mutex_);
  free_cores_.push_back(&core);
}

void Context::executor_stopped() {
  if (spinning_.fetch_sub(1) == 1 && !ok()) {
    if (ok_.load()) {
      shutdown(std::string("signal ") + sigdescr_np(signals::last_signal()));
    } else {
      print_verdicts();
    }
  }
}

void Context::print_verdicts() {
  if (printed_.exchange(true) || options_.verdict == timing::VerdictFormat::off) return;
  auto verdicts = monitor_->verdicts();
  if (verdicts.empty()) return;
  log::flush();
  std::ostream& out = options_.verdict_stream != nullptr ? *options_.verdict_stream : std::cerr;
  if (options_.verdict == timing::VerdictFormat::json) {
    auto list = nlohmann::json::array();
    for (const auto& verdict : verdicts) list.push_back(timing::to_json(verdict));
    out << nlohmann::json{{"schema_version", 1}, {"takt_version", version()}, {"verdicts", std::move(list)}}
               .dump(2)
        << '\n';
  } else {
    out << timing::to_text(verdicts);
  }
  out.flush();
}

}  // namespace takt

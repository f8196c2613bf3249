// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/clock_log.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "lab/common/shortage.hpp"
#include "takt/core/error.hpp"
#include "takt/sim/pacer.hpp"

namespace takt::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kReadersPatience = 5000;  // ms

std::int64_t ns(SteadyTime time) { return time.time_since_epoch().count(); }
std::int64_t ns(ClockTime time) { return time.time_since_epoch().count(); }

Json line_of(const sim::ClockEvent& event) {
  if (event.kind == sim::ClockEvent::Kind::sample)
    return {{"report", "sample"}, {"at_ns", ns(event.at)}, {"sim_ns", ns(event.sim)}};
  return {
      {"report", "gap"}, {"at_ns", ns(event.at)}, {"gap_ms", to_ms(event.gap)}, {"sim_ns", ns(event.sim)}};
}

}  // namespace

// Without O_NONBLOCK a FIFO that nobody reads would keep the clock from starting, and one whose reader
// stopped, from ending.
ClockLog::ClockLog(std::string path) : path_(std::move(path)) {
  constexpr int kReadableByAll = 0644;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, kReadableByAll);
  if (file_ < 0 && errno == ENXIO)
    throw SetupError("cannot write the log " + path_ + ": nobody reads it, a FIFO or socket",
                     "start its reader first, or give a file with --log");
  if (file_ < 0) throw_unwritable("give another file with --log");
}

ClockLog::~ClockLog() { ::close(file_); }

void ClockLog::start(SteadyTime at, const sim::WorldOptions& world) {
  if (::ftruncate(file_, 0) != 0 && errno != EINVAL)
    throw_unwritable("give another file with --log");  // EINVAL: no regular file
  add({{"report", "start"},
       {"at_ns", ns(at)},
       {"sim_ns", ns(world.start)},
       {"step_ns", world.step.count()},
       {"target_rtf", sim::is_flat_out(world.rtf) ? 0 : world.rtf},
       {"pid", ::getpid()}});
  write();
}

void ClockLog::drain(sim::ClockServer& clock) {
  while (const auto event = clock.take_event()) add(line_of(*event));
  write();
}

void ClockLog::end(sim::ClockServer& clock) {
  drain(clock);
  const auto status = clock.status();
  const auto wall_step = sim::Pacer(clock.options().world.step, status.target_rtf).wall_step();
  Json verdict = nullptr;
  auto earlier = Json::array();
  for (const auto& one : clock.verdicts()) {
    if (one.deadline == wall_step)
      verdict = timing::to_json(one);
    else
      earlier.emplace_back(timing::to_json(one));
  }
  add({{"report", "end"},
       {"at_ns", ns(status.at)},
       {"sim_ns", ns(status.sim_time)},
       {"iterations", status.iterations},
       {"late", status.late_iterations},
       {"dropped_ms", to_ms(status.dropped)},
       {"verdict", std::move(verdict)},
       {"earlier_verdicts", std::move(earlier)},
       {"lost_events", clock.lost_events()},
       {"first_tick_ns", ns(status.first)}});
  write();
}

void ClockLog::add(const Json& line) { pending_ += line.dump() + "\n"; }

void ClockLog::write() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    const auto wrote = ::write(file_, pending_.data() + done, pending_.size() - done);
    if (wrote < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_the_reader()))) continue;
    if (wrote < 0) throw_unwritable("make room, or give another file with --log");
    done += static_cast<std::size_t>(wrote);
  }
  pending_.clear();
}

bool ClockLog::wait_for_the_reader() const {
  pollfd room{file_, POLLOUT, 0};
  if (::poll(&room, 1, kReadersPatience) != 0) return true;
  throw SetupError("cannot write the log " + path_ + ": its reader reads nothing any more",
                   "mend the reader, or give a file with --log");
}

void ClockLog::throw_unwritable(const char* fix) const {
  throw SetupError("cannot write the log " + path_ + ": " + lab::words_of_errno(errno), fix);
}

}  // namespace takt::cli

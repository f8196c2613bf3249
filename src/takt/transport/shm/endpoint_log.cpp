// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/endpoint_log.hpp"

#include <algorithm>
#include <utility>

#include "takt/core/error.hpp"

namespace takt::shm {
namespace {

constexpr unsigned kCounterBits = 24;  // of an id; the bits above are random

std::uint64_t generation_in(const EndpointChange& change) { return change.endpoint.generation; }

}  // namespace

EndpointLog::EndpointLog(std::string process, pid_t pid, std::uint64_t random)
    : process_(std::move(process)),
      pid_(pid),
      session_(std::max<std::uint64_t>(random, 1)),
      last_id_((random >> kCounterBits) << kCounterBits) {
  TAKT_CHECK(process_.size() <= kMaxProcessName);
}

const Endpoint& EndpointLog::add(Endpoint endpoint) {
  const auto name = std::string(to_string(endpoint.kind)) + " on '" + endpoint.topic + "'";
  if (const auto fault = format_fault(endpoint); !fault.empty()) throw SetupError(name + ": " + fault);
  if (alive_.size() >= kMaxEndpoints) {
    throw SetupError(name + ": this process has " + std::to_string(alive_.size()) + " endpoints",
                     "use fewer: that is the most that others are told of");
  }
  endpoint.id = ++last_id_;
  endpoint.generation = ++generation_;
  endpoint.process = process_;
  endpoint.pid = pid_;
  generation_of_.emplace(endpoint.id, generation_);
  return alive_.emplace(generation_, EndpointChange{true, std::move(endpoint)}).first->second.endpoint;
}

bool EndpointLog::remove(EndpointId id) {
  const auto found = generation_of_.find(id);
  if (found == generation_of_.end()) return false;
  alive_.erase(found->second);
  generation_of_.erase(found);
  EndpointChange removal{false, {}};
  removal.endpoint.id = id;
  removal.endpoint.generation = ++generation_;
  removals_.push_back(std::move(removal));
  if (removals_.size() > kRemovalsKept) {
    forgotten_ = removals_.front().endpoint.generation;
    removals_.pop_front();
  }
  return true;
}

std::vector<Endpoint> EndpointLog::all() const {
  std::vector<Endpoint> endpoints;
  endpoints.reserve(alive_.size());
  for (const auto& [generation, change] : alive_) endpoints.push_back(change.endpoint);
  return endpoints;
}

Announcement EndpointLog::header() const {
  Announcement header;
  header.process = process_;
  header.session = session_;
  header.pid = pid_;
  header.latest = generation_;
  return header;
}

/// Writes what happened after header.base, as far as it fits; the generation up to which it did.
std::uint64_t EndpointLog::write_changes(AnnouncementWriter& writer, std::uint64_t base) const {
  auto alive = alive_.upper_bound(base);
  // To one who knows nothing yet, no removal matters.
  auto removal = base == 0 ? removals_.end() : std::ranges::upper_bound(removals_, base, {}, generation_in);
  auto last = base;
  while (alive != alive_.end() || removal != removals_.end()) {
    const bool take_alive =
        removal == removals_.end() || (alive != alive_.end() && alive->first < generation_in(*removal));
    const auto& change = take_alive ? alive->second : *removal;
    if (!writer.try_add(change)) return last;
    last = generation_in(change);
    take_alive ? static_cast<void>(++alive) : static_cast<void>(++removal);
  }
  return generation_;
}

std::optional<std::vector<std::byte>> EndpointLog::next(Told& told, bool ask) const {
  if (told.upto != 0 && told.upto >= generation_ && !ask) return std::nullopt;
  if (told.upto < forgotten_) told.upto = 0;
  if (told.upto == 0) told.snapshot = true;
  auto header = this->header();
  header.ask = ask;
  header.snapshot = told.snapshot;
  header.base = told.upto;
  AnnouncementWriter writer;
  header.upto = write_changes(writer, header.base);
  told.upto = header.upto;
  if (told.upto == generation_) told.snapshot = false;
  return std::move(writer).finish(header);
}

std::vector<std::byte> EndpointLog::farewell() const {
  auto header = this->header();
  header.kind = Announcement::Kind::farewell;
  return AnnouncementWriter{}.finish(header);
}

}  // namespace takt::shm

// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/topic_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "lab/common/interrupt.hpp"
#include "takt/core/error.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/transport/shm/matching.hpp"

namespace takt::cli {
namespace {

constexpr Duration kPause = std::chrono::seconds{1};

SteadyTime steady_now() { return SteadyClock::instance()->steady_now(); }

}  // namespace

TopicStream::TopicStream(HostSession& session, lab::Console& console, shm::Endpoint wanted)
    : session_(session), console_(console), wanted_(std::move(wanted)) {
  wanted_.kind = shm::EndpointKind::subscription;
  wanted_.node = session.node();
  own_ = session.discovery().add(wanted_);
}

TopicStream::~TopicStream() { session_.discovery().remove(own_); }

bool TopicStream::run(SteadyTime deadline, const Handler& handler,
                      const std::function<void(SteadyTime)>& on_pause) {
  const lab::OnInterrupt wake([this] { session_.bells()->ring(session_.bell().index()); });
  auto next_pause = on_pause ? steady_now() + kPause : kNever;
  while (!lab::Interrupt::requested()) {
    const auto seen = session_.bell().value();
    look_for_publishers();
    if (!take_all(handler)) return true;
    const auto now = steady_now();
    if (now >= deadline) return false;
    if (now >= next_pause) {
      on_pause(now);
      next_pause = std::max(next_pause + kPause, now);
    }
    session_.bell().wait(seen, std::min(deadline, next_pause));
  }
  return false;
}

void TopicStream::look_for_publishers() {
  const auto changes = session_.changes();  // read before: what comes meanwhile is seen the next time
  if (std::exchange(looked_, true) && changes == changes_seen_) return;
  changes_seen_ = changes;
  std::set<shm::EndpointId> there;
  for (const auto& one : session_.endpoints()) {
    if (one.kind != shm::EndpointKind::publisher || one.topic != wanted_.topic) continue;
    there.insert(one.id);
    if (!sources_.contains(one.id)) meet(one);
  }
  for (auto& [id, source] : sources_) source.gone = !there.contains(id);
}

void TopicStream::meet(const shm::Endpoint& publisher) {
  auto& source = sources_[publisher.id];
  source.publisher = publisher;
  if (const auto match = compatible(publisher, wanted_); !match) {
    console_.message(fmt::format("takt: {} is not read: {}", owner_of(publisher), match.reason));
    return;
  }
  const shm::ReaderOptions options{
      .type_hash = publisher.type_hash,
      .lease = session_.lease_id(),
      .bell = session_.bell().index(),
      .depth = std::numeric_limits<std::uint32_t>::max(),  // all that the ring holds
      .transient_local = wanted_.qos.durability == shm::EndpointQos::Durability::transient_local};
  try {
    source.reader =
        shm::Reader::attach(session_.domain(), session_.domain().path() / publisher.segment, options);
  } catch (const SetupError& error) {
    console_.message(fmt::format("takt: {} is not read: {}", owner_of(publisher), error.what()));
  }
}

/// A publisher that is gone is read to its end: it may have sent its last messages just before.
bool TopicStream::take_all(const Handler& handler) {
  for (auto& [id, source] : sources_) {
    if (source.reader && !take_of(source, handler)) return false;
  }
  std::erase_if(sources_, [](const auto& one) { return one.second.gone; });
  return true;
}

bool TopicStream::take_of(Source& source, const Handler& handler) {
  while (!lab::Interrupt::requested()) {
    const auto view = source.reader->take();
    count_lost(source);
    if (!view) return true;
    const auto bytes = view->bytes();
    const auto lead = std::min(shm::kLead, bytes.size());
    if (!handler({source.publisher, bytes.subspan(lead), view->header().published, steady_now(),
                  view->sequence()})) {
      return false;
    }
  }
  return true;
}

void TopicStream::count_lost(Source& source) {
  const auto all = source.reader->counters().lost + source.reader->counters().corrupt;
  const auto lost = all - std::exchange(source.lost, all);
  if (lost == 0) return;
  lost_ += lost;
  console_.message(fmt::format("takt: {} message{} of {} on {} {} lost (overwritten before it was read)",
                               lost, lost == 1 ? "" : "s", owner_of(source.publisher), wanted_.topic,
                               lost == 1 ? "was" : "were"));
}

bool has_publisher(std::span<const shm::Endpoint> endpoints) noexcept {
  return std::ranges::any_of(endpoints,
                             [](const auto& one) { return one.kind == shm::EndpointKind::publisher; });
}

std::vector<shm::Endpoint> wait_for_topic(HostSession& session, lab::Console& console,
                                          const std::string& topic, SteadyTime deadline) {
  const lab::OnInterrupt wake([&session] { session.bells()->ring(session.bell().index()); });
  session.complete_endpoints();
  for (const auto& text : session.shortcomings()) console.message("takt: " + text);
  bool said = false;
  while (!lab::Interrupt::requested()) {
    const auto seen = session.bell().value();
    auto found = session.endpoints();
    std::erase_if(found, [&](const shm::Endpoint& one) {
      return one.topic != topic || one.kind == shm::EndpointKind::node;
    });
    std::ranges::stable_sort(found, {}, &shm::Endpoint::kind);
    if (!has_publisher(found) && !std::exchange(said, true)) console.message("takt: waiting for " + topic);
    if (!found.empty()) return found;
    if (steady_now() >= deadline) return {};
    session.bell().wait(seen, deadline);
  }
  return {};
}

std::string only_type(std::span<const shm::Endpoint> endpoints) {
  std::set<std::string> types;
  const bool published = has_publisher(endpoints);
  for (const auto& one : endpoints) {
    if (!published || one.kind == shm::EndpointKind::publisher) types.insert(one.type_name);
  }
  if (types.size() > 1) {
    throw SetupError(fmt::format("{} is published with several types: {}", endpoints.front().topic,
                                 fmt::join(types, ", ")),
                     "name the one that you want");
  }
  return *types.begin();
}

shm::EndpointQos modest_qos(std::span<const shm::Endpoint> endpoints) {
  using Qos = shm::EndpointQos;
  Qos qos;
  if (!has_publisher(endpoints)) {  // whatever comes shall match
    qos.reliability = Qos::Reliability::best_effort;
    return qos;
  }
  qos.durability = Qos::Durability::transient_local;
  for (const auto& one : endpoints) {
    if (one.kind != shm::EndpointKind::publisher) continue;
    qos.reliability = std::min(qos.reliability, one.qos.reliability);
    qos.durability = std::min(qos.durability, one.qos.durability);
  }
  return qos;
}

}  // namespace takt::cli

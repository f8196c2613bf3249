// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/peer.hpp"

#include <algorithm>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/transport/shm/endpoint_log.hpp"

namespace takt::shm {
namespace {

/// False: there is no room.
bool put_endpoint(std::map<EndpointId, Endpoint>& endpoints, const Endpoint& endpoint) {
  if (endpoints.size() >= EndpointLog::kMaxEndpoints) return false;
  endpoints.insert_or_assign(endpoint.id, endpoint);
  return true;
}

}  // namespace

PeerView::News PeerView::apply(const Announcement& announcement) {
  TAKT_CHECK(announcement.kind == Announcement::Kind::update);
  News news;
  if (session_ != announcement.session) {
    news.gone = clear();
    session_ = announcement.session;
  }
  latest_ = std::max(latest_, announcement.latest);
  announcement.snapshot ? apply_part(announcement, news) : apply_delta(announcement, news);
  return news;
}

std::vector<Endpoint> PeerView::clear() {
  std::vector<Endpoint> gone;
  gone.reserve(endpoints_.size());
  for (auto& [id, endpoint] : endpoints_) gone.push_back(std::move(endpoint));
  *this = PeerView{};
  return gone;
}

void PeerView::apply_delta(const Announcement& delta, News& news) {
  if (known_ == 0 || delta.base > known_) {
    news.gap = true;
    return;
  }
  if (delta.upto <= known_) return;  // heard before
  for (const auto& change : delta.changes) {
    if (change.endpoint.generation <= known_) continue;
    if (change.added) {
      if (put_endpoint(endpoints_, change.endpoint)) {
        news.appeared.push_back(change.endpoint);
      } else {
        ++news.beyond_limit;
      }
    } else if (auto node = endpoints_.extract(change.endpoint.id)) {
      news.gone.push_back(std::move(node.mapped()));
    }
  }
  known_ = delta.upto;
}

void PeerView::apply_part(const Announcement& part, News& news) {
  if (part.base == 0) {
    assembly_.clear();
  } else if (assembled_ == 0 || part.base != assembled_) {
    news.gap = part.upto > known_;
    return;
  }
  for (const auto& change : part.changes) {
    if (!change.added) {
      assembly_.erase(change.endpoint.id);
    } else if (!put_endpoint(assembly_, change.endpoint)) {
      ++news.beyond_limit;
    }
  }
  assembled_ = part.upto;
  if (part.upto < part.latest) return;
  auto fresh = std::exchange(assembly_, {});
  assembled_ = 0;
  if (part.upto <= known_) return;  // older than, or the same as, what is known
  known_ = part.upto;
  replace(std::move(fresh), news);
}

void PeerView::replace(Endpoints fresh, News& news) {
  for (const auto& [id, endpoint] : endpoints_) {
    if (!fresh.contains(id)) news.gone.push_back(endpoint);
  }
  for (const auto& [id, endpoint] : fresh) {
    if (!endpoints_.contains(id)) news.appeared.push_back(endpoint);
  }
  endpoints_ = std::move(fresh);
}

}  // namespace takt::shm

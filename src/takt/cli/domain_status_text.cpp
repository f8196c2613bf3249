// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "lab/common/table.hpp"
#include "takt/cli/domain_status.hpp"
#include "takt/transport/shm/endpoint.hpp"

namespace takt::cli {
namespace {

using nlohmann::ordered_json;
using PidsByLease = std::map<std::uint64_t, pid_t>;

PidsByLease pids_of(const DomainStatus& status) {
  PidsByLease pids;
  for (const auto& one : status.processes) pids[one.id] = one.pid;
  return pids;
}

/// Of a dead one whose lease is gone: unknown.
std::string pid_text(const PidsByLease& pids, std::uint64_t lease) {
  const auto at = pids.find(lease);
  return at == pids.end() ? "?" : std::to_string(at->second);
}

ordered_json pid_json(const PidsByLease& pids, std::uint64_t lease) {
  const auto at = pids.find(lease);
  return at == pids.end() ? ordered_json(nullptr) : ordered_json(at->second);
}

std::string age_text(const std::optional<double>& seconds) {
  if (!seconds) return "-";
  return *seconds < 120 ? fmt::format("{:.0f} s", *seconds) : fmt::format("{:.0f} min", *seconds / 60);
}

std::string kib_text(std::uint64_t bytes) { return fmt::format("{} KiB", bytes / 1024); }

lab::Table process_table(const DomainStatus& status) {
  lab::Table table{.title = "Processes",
                   .columns = {{"pid"},
                               {"age"},
                               {"alive", lab::Align::left},
                               {"takt", lab::Align::left},
                               {"lease", lab::Align::left},
                               {"command", lab::Align::left}}};
  for (const auto& one : status.processes) {
    table.rows.push_back({std::to_string(one.pid), age_text(one.age_s), one.alive ? "yes" : "no", one.version,
                          one.lease, one.command});
  }
  return table;
}

lab::Table segment_table(const DomainStatus& status) {
  lab::Table table{.title = "Publishers' segments",
                   .columns = {{"topic", lab::Align::left},
                               {"type", lab::Align::left},
                               {"pid"},
                               {"sent"},
                               {"delivered"},
                               {"lost"},
                               {"damaged"},
                               {"overwritten"},
                               {"readers"},
                               {"slots in use"},
                               {"held"},
                               {"memory"}},
                   .note =
                       "delivered and lost: of all readers together; refused messages only the publisher "
                       "counts"};
  const auto pids = pids_of(status);
  for (const auto& file : status.segments) {
    if (!file.status) continue;
    const auto& one = *file.status;
    table.rows.push_back({one.info.topic, one.info.type_name, pid_text(pids, one.info.lease),
                          std::to_string(one.sent), std::to_string(one.taken), std::to_string(one.lost),
                          std::to_string(one.corrupt), std::to_string(one.overwritten),
                          std::to_string(one.readers.size()),
                          fmt::format("{} of {}", one.slots_in_use, one.slots),
                          std::to_string(one.slots_held), kib_text(one.memory)});
  }
  return table;
}

lab::Table reader_table(const DomainStatus& status) {
  lab::Table table{.title = "Readers",
                   .columns = {{"topic", lab::Align::left},
                               {"publisher"},
                               {"reader"},
                               {"taken"},
                               {"lost"},
                               {"damaged"},
                               {"waiting"}}};
  const auto pids = pids_of(status);
  for (const auto& file : status.segments) {
    if (!file.status) continue;
    for (const auto& reader : file.status->readers) {
      table.rows.push_back({file.status->info.topic, pid_text(pids, file.status->info.lease),
                            pid_text(pids, reader.lease), std::to_string(reader.counters.taken),
                            std::to_string(reader.counters.lost), std::to_string(reader.counters.corrupt),
                            std::to_string(reader.waiting)});
    }
  }
  return table;
}

ordered_json process_json(const ProcessStatus& one) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? ordered_json(nullptr) : ordered_json(text);
  };
  return {{"pid", one.pid},
          {"lease", one.lease},
          {"alive", one.alive},
          {"age_s", one.age_s ? ordered_json(*one.age_s) : ordered_json(nullptr)},
          {"takt_version", or_null(one.version)},
          {"command", or_null(one.command)}};
}

ordered_json readers_json(const shm::SegmentStatus& segment, const PidsByLease& pids) {
  auto list = ordered_json::array();
  for (const auto& one : segment.readers) {
    list.push_back({{"pid", pid_json(pids, one.lease)},
                    {"taken", one.counters.taken},
                    {"lost", one.counters.lost},
                    {"damaged", one.counters.corrupt},
                    {"waiting", one.waiting}});
  }
  return list;
}

ordered_json segment_json(const std::string& name, const shm::SegmentStatus& one, const PidsByLease& pids) {
  return {{"segment", name},
          {"topic", one.info.topic},
          {"type", one.info.type_name},
          {"type_hash", shm::to_string(one.type_hash)},
          {"pid", pid_json(pids, one.info.lease)},
          {"history", one.keep_all ? "keep_all" : "keep_last"},
          {"depth", one.depth},
          {"retained", one.retained},
          {"slots", one.slots},
          {"slots_in_use", one.slots_in_use},
          {"slots_held", one.slots_held},
          {"sent", one.sent},
          {"delivered", one.taken},
          {"lost", one.lost},
          {"damaged", one.corrupt},
          {"overwritten", one.overwritten},
          {"memory_bytes", one.memory},
          {"readers", readers_json(one, pids)}};
}

}  // namespace

std::string to_text(const DomainStatus& status) {
  std::string text = fmt::format("domain {} in {}: {} of memory, {} bells in use\n\n", status.number,
                                 status.folder, kib_text(status.memory), status.bells.value_or(0));
  text += status.processes.empty() ? "no process\n" : lab::to_text(process_table(status));
  if (!status.segments.empty()) text += "\n" + lab::to_text(segment_table(status));
  if (const auto readers = reader_table(status); !readers.rows.empty()) text += "\n" + lab::to_text(readers);
  if (status.leftovers() > 0) {
    text += fmt::format(
        "\nleft by dead processes: {} segments, {} inboxes, {} leases; takt status --sweep removes "
        "them, as does the next process that joins\n",
        status.dead_segments, status.dead_inboxes, status.dead_leases);
  }
  for (const auto& one : status.foreign) text += "\nnot readable here: " + one + "\n";
  return text;
}

ordered_json to_json(const DomainStatus& status) {
  const auto pids = pids_of(status);
  auto processes = ordered_json::array();
  for (const auto& one : status.processes) processes.push_back(process_json(one));
  auto segments = ordered_json::array();
  for (const auto& one : status.segments) {
    if (one.status) segments.push_back(segment_json(one.name, *one.status, pids));
  }
  auto users = ordered_json::array();
  for (const auto& one : status.other_users)
    users.push_back({{"user", one.name}, {"uid", one.uid}, {"processes", one.processes}});
  return {{"domain", status.number},
          {"folder", status.folder},
          {"memory_bytes", status.memory},
          {"processes", std::move(processes)},
          {"segments", std::move(segments)},
          {"bells_in_use", status.bells ? ordered_json(*status.bells) : ordered_json(nullptr)},
          {"leftovers",
           {{"segments", status.dead_segments},
            {"inboxes", status.dead_inboxes},
            {"leases", status.dead_leases}}},
          {"not_readable", status.foreign},
          {"other_users", std::move(users)}};
}

}  // namespace takt::cli

// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/status_verb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>

#include "takt/cli/domain_status.hpp"
#include "takt/cli/live_options.hpp"
#include "takt/cli/live_report.hpp"
#include "takt/core/steady_clock.hpp"
#include "takt/core/version.hpp"
#include "takt/transport/shm/announcement.hpp"
#include "takt/transport/shm/layout.hpp"

namespace takt::cli {
namespace {

struct StatusOptions {
  bool sweep = false;
  bool json = false;
};

/// The clocks of the machine. Times in segments are on the monotonic one.
struct Clocks {
  std::string source;             ///< of the kernel; "unknown"
  std::int64_t monotonic_ns = 0;  ///< now
  std::int64_t offset_ns = 0;     ///< calendar time minus monotonic time
};

Clocks read_clocks() {
  Clocks clocks;
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!std::getline(file, clocks.source)) clocks.source = "unknown";
  const auto calendar =
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch());
  clocks.monotonic_ns = SteadyClock::instance()->steady_now().time_since_epoch().count();
  clocks.offset_ns = calendar.count() - clocks.monotonic_ns;
  return clocks;
}

std::string versions_text(const Clocks& clocks) {
  return fmt::format(
      "\ntakt {} (commit {}), segments of layout {}, announcements of version {}\n"
      "clock source {}, calendar time is {:.6f} s ahead of the monotonic clock\n",
      version(), commit(), shm::layout::kVersion, shm::kAnnouncementVersion, clocks.source,
      to_seconds(Duration{clocks.offset_ns}));
}

int run_status(const StatusOptions& options) {
  LiveReport report(options.json);
  const auto domain = shm::Domain::open();
  auto status = look_at(domain);
  const auto before = status.leftovers();
  if (options.sweep) {
    remove_leftovers(domain);
    status = look_at(domain);
  }
  for (const auto& user : status.other_users) report.warn(in_words(user));
  const auto swept = before - std::min(before, status.leftovers());
  const auto clocks = read_clocks();
  auto body = to_json(status);
  body["swept"] = options.sweep ? nlohmann::ordered_json(swept) : nlohmann::ordered_json(nullptr);
  body["versions"] = {{"takt", fmt::format("{} ({})", version(), commit())},
                      {"segment_layout", shm::layout::kVersion},
                      {"announcement", shm::kAnnouncementVersion}};
  body["clocks"] = {{"source", clocks.source},
                    {"monotonic_ns", clocks.monotonic_ns},
                    {"calendar_minus_monotonic_ns", clocks.offset_ns}};
  auto text = to_text(status) + versions_text(clocks);
  if (options.sweep) text += fmt::format("swept: {} files of dead processes\n", swept);
  return report.finish(text, {{"status", std::move(body)}});
}

}  // namespace

std::vector<Verb> add_status(CLI::App& root) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App* parser =
      root.add_subcommand("status", "what runs on this host, what was sent and what became of it");
  parser->add_flag("--sweep", options->sweep, "remove what dead processes left; else nothing is changed");
  add_json(*parser, options->json);
  parser->footer(
      "Reads the domain's folder without joining, so stopped processes are seen as well. Example:\n"
      "  takt status --json | jq .status.segments");
  return {{parser, [options] { return run_status(*options); }}};
}

}  // namespace takt::cli

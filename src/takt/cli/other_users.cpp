// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/other_users.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "takt/transport/shm/discovery_folder.hpp"
#include "takt/transport/shm/domain.hpp"

namespace takt::cli {
namespace {

constexpr std::string_view kBase = "/dev/shm/takt-";

std::string name_of_user(uid_t uid) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    return found->pw_name;
  return std::to_string(uid);
}

/// Of one line, whose path is its last field; false when it is no inbox of that domain.
bool read_owner(std::string_view line, std::string_view domain, uid_t& uid) {
  const auto at = line.find(kBase);
  if (at == std::string_view::npos) return false;
  const auto path = line.substr(at + kBase.size());
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), uid);
  if (error != std::errc()) return false;
  const auto rest = path.substr(static_cast<std::size_t>(end - path.data()));
  return rest.starts_with(domain) && shm::Domain::id_of(shm::kInboxKind, rest.substr(domain.size())) != 0;
}

}  // namespace

std::map<uid_t, std::size_t> inboxes_by_user(std::string_view unix_sockets, std::uint32_t domain) {
  std::map<uid_t, std::size_t> counts;
  const auto folder = fmt::format("/{}/", domain);
  std::istringstream lines{std::string(unix_sockets)};
  for (std::string line; std::getline(lines, line);) {
    if (uid_t uid = 0; read_owner(line, folder, uid)) ++counts[uid];
  }
  return counts;
}

std::vector<OtherUser> other_users(std::uint32_t domain) {
  std::ifstream file("/proc/net/unix");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<OtherUser> users;
  for (const auto& [uid, processes] : inboxes_by_user(text, domain)) {
    if (uid != ::geteuid()) users.push_back({uid, name_of_user(uid), processes});
  }
  return users;
}

std::string in_words(const OtherUser& user) {
  return fmt::format("{} process{} of user {} {} not visible: takt shows each user only his own",
                     user.processes, user.processes == 1 ? "" : "es", user.name,
                     user.processes == 1 ? "is" : "are");
}

}  // namespace takt::cli

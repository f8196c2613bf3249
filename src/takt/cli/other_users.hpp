// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace takt::cli {

/// Another user who runs takt on this host. His folder is closed to us; the sockets in it are not: the kernel
/// lists the path of each.
struct OtherUser {
  uid_t uid = 0;
  std::string name;           ///< his number where he has none
  std::size_t processes = 0;  ///< in the domain with our number
};

/// Processes by user, from the text of /proc/net/unix: sockets that are bound to
/// /dev/shm/takt-<uid>/<domain>/inbox-<16 hex>.
std::map<uid_t, std::size_t> inboxes_by_user(std::string_view unix_sockets, std::uint32_t domain);

/// Those with a process in that domain, this user left out. Processes in another network namespace are not
/// counted. May block.
std::vector<OtherUser> other_users(std::uint32_t domain);

/// "2 processes of user anna are not visible: takt shows each user only his own"
std::string in_words(const OtherUser& user);

}  // namespace takt::cli

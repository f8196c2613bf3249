// SPDX-License-Identifier: Apache-2.0
#include "takt/transport/shm/domain.hpp"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "takt/core/error.hpp"
#include "takt/core/unnamed_file.hpp"

namespace takt::shm {
namespace {

constexpr std::uint32_t kHighestDomain = 232;  // as in ROS 2
constexpr std::size_t kIdDigits = 16;

std::string variable(const char* name) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read at set-up
  return text == nullptr ? std::string{} : std::string{text};
}

std::uint32_t number_from_environment() {
  const auto text = variable("ROS_DOMAIN_ID");
  if (text.empty()) return 0;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number > kHighestDomain) {
    throw SetupError("ROS_DOMAIN_ID is '" + text + "', which is no domain",
                     "set it to a number from 0 to 232, or unset it");
  }
  return number;
}

std::string default_base() {
  const auto chosen = variable("TAKT_SHM_DIR");
  return chosen.empty() ? "/dev/shm/takt-" + std::to_string(::geteuid()) : chosen;
}

/// Never repaired: a folder that somebody else could enter may already hold what he put there.
void check_folder(const std::filesystem::path& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) throw_system_error("cannot look at " + path.string(), errno);
  const std::string fix = "remove it, or set TAKT_SHM_DIR to a folder of your own";
  if (!S_ISDIR(found.st_mode)) throw SetupError(path.string() + " is not a folder", fix);
  if (found.st_uid != ::geteuid()) {
    throw SetupError(path.string() + " belongs to user " + std::to_string(found.st_uid), fix);
  }
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw SetupError(path.string() + " can be entered by other users", "chmod 700 it, or " + fix);
  }
}

void make_folder(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    throw_system_error("cannot create " + path.string(), errno);
  }
  check_folder(path);
}

}  // namespace

Domain Domain::open(const std::string& base) { return open(base, number_from_environment()); }

Domain Domain::open(const std::string& base, std::uint32_t number) {
  const std::filesystem::path folder = base.empty() ? default_base() : base;
  make_folder(folder);
  const auto path = folder / std::to_string(number);
  make_folder(path);
  return {path, number};
}

std::string Domain::random_name(std::string_view kind) {
  std::uint64_t id = 0;
  while (id == 0) {
    if (::getrandom(&id, sizeof id, 0) != sizeof id && errno != EINTR) {
      throw_system_error("the kernel gives no random numbers", errno);
    }
  }
  return name_of(kind, id);
}

std::string Domain::name_of(std::string_view kind, std::uint64_t id) {
  std::string name(kind);
  name += '-';
  for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[(id >> shift) & 15U];
  return name;
}

std::uint64_t Domain::id_of(std::string_view kind, std::string_view name) noexcept {
  if (name.size() != kind.size() + 1 + kIdDigits || !name.starts_with(kind) || name[kind.size()] != '-')
    return 0;
  const auto digits = name.substr(kind.size() + 1);
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return 0;
  std::uint64_t id = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), id, 16);
  return id;
}

}  // namespace takt::shm

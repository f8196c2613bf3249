// SPDX-License-Identifier: Apache-2.0
#include "takt/core/lease.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/fork.hpp"
#include "takt/core/unnamed_file.hpp"
#include "takt/core/version.hpp"

namespace takt {
namespace {

constexpr const char* kLeaseFormat = "takt-lease-1";

struct flock whole_file() noexcept {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

bool take_lock(int fd) noexcept {
  auto lock = whole_file();
  return ::fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool same_file(int fd, const std::filesystem::path& path) noexcept {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

/// Field 22 of /proc/self/stat, counted from behind the name, which may hold anything.
std::uint64_t own_start_ticks() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return ticks;
}

bool write_owner(int fd) {
  std::ostringstream text;
  text << kLeaseFormat << ' ' << ::getpid() << ' ' << own_start_ticks() << ' ' << version() << '\n';
  const auto line = text.str();
  return ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

}  // namespace

std::unique_ptr<Lease> Lease::create(const std::filesystem::path& folder, std::string_view name) {
  const auto path = folder / name;
  const int fd = ForkGuard::open_guarded([&] { return unnamed_file::open(folder); });
  if (fd < 0) throw_system_error("cannot create the lease " + path.string(), errno);
  if (!take_lock(fd) || !write_owner(fd) || !unnamed_file::give_name(fd, path)) {
    const int why = errno;
    ForkGuard::close_guarded(fd);
    throw_system_error("cannot create the lease " + path.string(), why);
  }
  return std::unique_ptr<Lease>(new Lease(path, fd));
}

Lease::Lease(std::filesystem::path path, int fd)
    : path_(std::move(path)), fd_(fd), generation_(ForkGuard::generation()) {}

Lease::~Lease() {
  if (generation_ != ForkGuard::generation()) return;  // in a child: it is the parent's
  if (same_file(fd_, path_)) ::unlink(path_.c_str());
  ForkGuard::close_guarded(fd_);
}

bool Lease::alive(const std::filesystem::path& path) noexcept {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
  auto lock = whole_file();
  const bool told = ::fcntl(fd, F_OFD_GETLK, &lock) == 0;
  ::close(fd);
  return !told || lock.l_type != F_UNLCK;
}

bool Lease::reclaim(const std::filesystem::path& path) noexcept {
  const int fd = ForkGuard::open_guarded(
      [&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); });
  if (fd < 0) return false;
  // Another may have removed the file between the two calls: then the lock is one of a file without a name.
  const bool won = take_lock(fd) && same_file(fd, path) && ::unlink(path.c_str()) == 0;
  ForkGuard::close_guarded(fd);
  return won;
}

std::optional<LeaseOwner> Lease::owner(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string format;
  LeaseOwner owner;
  if (!(file >> format >> owner.pid >> owner.start_ticks >> owner.version) || format != kLeaseFormat)
    return {};
  return owner;
}

}  // namespace takt

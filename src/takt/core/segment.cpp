// SPDX-License-Identifier: Apache-2.0
#include "takt/core/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "takt/core/error.hpp"
#include "takt/core/fork.hpp"
#include "takt/core/unnamed_file.hpp"

// The kernel has it since 5.14; on older ones the hint is refused.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace takt {
namespace {

/// The size of a file that may be mapped. Throws what is wrong with it.
std::size_t size_of_own_file(int fd, const std::string& name) {
  struct stat found {};
  if (::fstat(fd, &found) != 0) throw_system_error("cannot look at " + name, errno);
  const std::string fix = "remove it: it was not made by takt for this user";
  if (!S_ISREG(found.st_mode)) throw SetupError(name + " is not a file", fix);
  if (found.st_uid != ::geteuid()) {
    throw SetupError(name + " belongs to user " + std::to_string(found.st_uid), fix);
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) throw SetupError(name + " can be written by others", fix);
  return static_cast<std::size_t>(found.st_size);
}

/// Writes to each page once. A kernel that knows its free pages to be zero gives them without writing to
/// them; in a virtual machine the host then finds the memory at the first write only (2 ms a MiB instead of
/// 0.06). The write changes nothing, so that it may meet others' use.
void touch(std::byte* data, std::size_t size, std::size_t page) noexcept {
#if defined(TAKT_TSAN)
  static_cast<void>(data), static_cast<void>(size), static_cast<void>(page);  // would be called a race
#else
  for (std::size_t i = 0; i < size; i += page) {
    auto zero = std::byte{0};
    std::atomic_ref(data[i]).compare_exchange_strong(zero, std::byte{0}, std::memory_order_relaxed);
  }
#endif
}

}  // namespace

Segment Segment::create(const std::filesystem::path& folder, std::size_t size) {
  const auto name = "a segment of " + std::to_string(size) + " bytes in " + folder.string();
  Segment segment;
  segment.created_ = true;
  segment.size_ = size;
  segment.fd_ = unnamed_file::open(folder);
  if (segment.fd_ < 0 || ::ftruncate(segment.fd_, static_cast<off_t>(size)) != 0) {
    throw_system_error("cannot create " + name, errno);
  }
  segment.map(PROT_READ | PROT_WRITE, name);
  return segment;
}

void Segment::publish(const std::filesystem::path& path) {
  TAKT_CHECK(created_ && path_.empty());
  if (!unnamed_file::give_name(fd_, path)) throw_system_error("cannot create " + path.string(), errno);
  path_ = path;
}

bool Segment::publish_for_good(const std::filesystem::path& path) noexcept {
  return unnamed_file::give_name(fd_, path);
}

Segment Segment::open(const std::filesystem::path& path) {
  Segment segment;
  segment.fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (segment.fd_ < 0) throw_system_error("cannot open " + path.string(), errno);
  segment.size_ = size_of_own_file(segment.fd_, path.string());
  if (segment.size_ == 0) throw SetupError(path.string() + " is empty", "remove it");
  segment.map(PROT_READ, path.string());
  segment.path_ = path;
  return segment;
}

void Segment::map(int protection, const std::string& name) {
  void* address = ::mmap(nullptr, size_, protection, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (address == MAP_FAILED) throw_system_error("cannot map " + name, errno);
  data_ = static_cast<std::byte*>(address);
  generation_ = ForkGuard::generation();
  ::madvise(address, size_, MADV_DONTFORK);
}

void Segment::make_writable(std::size_t offset, std::size_t size) {
  TAKT_CHECK(offset <= size_ && size <= size_ - offset);
  if (::mprotect(data_ + offset, size, PROT_READ | PROT_WRITE) != 0) {
    throw_system_error("cannot write to " + path_.string(), errno);
  }
}

bool Segment::reserve(std::size_t offset, std::size_t size) noexcept {
  TAKT_CHECK(fd_ >= 0 && offset <= size_ && size <= size_ - offset);
  if (size == 0) return true;
  int result = 0;
  do {
    result = ::fallocate(fd_, 0, static_cast<off_t>(offset), static_cast<off_t>(size));
  } while (result != 0 && errno == EINTR);
  if (result != 0) return false;
  prefault(offset, size, true);
  touch(data_ + offset, size, page_size());
  return true;
}

void Segment::prefault(std::size_t offset, std::size_t size, bool to_write) const noexcept {
  const auto first = offset / page_size() * page_size();
  ::madvise(data_ + first, offset + size - first, to_write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
}

void Segment::close_descriptor() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool Segment::is_mapped_here() const noexcept {
  return data_ != nullptr && generation_ == ForkGuard::generation();
}

std::size_t Segment::page_size() noexcept {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

void Segment::unpublish() noexcept {
  if (is_mapped_here() && created_ && !path_.empty()) ::unlink(path_.c_str());
  created_ = false;
}

Segment::~Segment() {
  unpublish();
  if (is_mapped_here()) ::munmap(data_, size_);
  close_descriptor();
}

Segment::Segment(Segment&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      created_(other.created_),
      generation_(other.generation_) {}

Segment& Segment::operator=(Segment&& other) noexcept {
  Segment moved(std::move(other));
  std::swap(path_, moved.path_);
  std::swap(fd_, moved.fd_);
  std::swap(data_, moved.data_);
  std::swap(size_, moved.size_);
  std::swap(created_, moved.created_);
  std::swap(generation_, moved.generation_);
  return *this;
}

}  // namespace takt

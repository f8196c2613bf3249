// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace takt {

/// A file in shared memory, mapped as a whole at one address. It is not inherited by a child of fork() (where
/// its addresses are unmapped and its destructor does nothing). Movable.
///
/// Nothing is taken from what another process wrote but the file's size. A user who truncates his own file
/// while it is mapped ends the processes that touch it (SIGBUS): that is not guarded against.
class Segment {
 public:
  /// A new sparse file without a name in `folder`, mapped for reading and writing. Errors: SetupError.
  static Segment create(const std::filesystem::path& folder, std::size_t size);
  /// Gives a created one its name, by which others find it; the destructor removes it. Errors: SetupError.
  void publish(const std::filesystem::path& path);
  /// Takes the name back: nobody finds it any more, who has it mapped keeps it. Any thread, once.
  void unpublish() noexcept;
  /// As publish(), but the file stays when this is destroyed. False and errno, EEXIST among others.
  bool publish_for_good(const std::filesystem::path& path) noexcept;

  /// Maps an existing file read-only. A link, a folder, another user's file and one that others may write are
  /// refused. Errors: SetupError.
  static Segment open(const std::filesystem::path& path);

  /// Of an opened one: makes a range writable. Bounds are those of a page. Errors: SetupError.
  void make_writable(std::size_t offset, std::size_t size);

  /// Gives a range its memory, so that touching it can neither fail nor wait. False and errno (ENOSPC) when
  /// there is none left. Of a created one; may block.
  bool reserve(std::size_t offset, std::size_t size) noexcept;
  /// Maps the pages of a range that have memory, as far as the kernel likes to (a hint), so that the first
  /// use does not wait for it. `to_write`: of a writable range. May block.
  void prefault(std::size_t offset, std::size_t size, bool to_write = false) const noexcept;

  /// Keeps no descriptor: reserve() is over, the mapping stays.
  void close_descriptor() noexcept;

  ~Segment();
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  /// False in a child of a fork: nothing behind data() may be touched. Wait-free.
  bool is_mapped_here() const noexcept;

  static std::size_t page_size() noexcept;

 private:
  Segment() = default;
  void map(int protection, const std::string& name);

  std::filesystem::path path_;  // of a published one
  int fd_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool created_ = false;
  std::uint32_t generation_ = 0;
};

}  // namespace takt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

namespace takt::lab::comm {

/// What Fast DDS leaves in /dev/shm when its processes are killed, which takes later ones of the same domain
/// their messages: removed with this object, if that is asked for. What was there before
/// stays, and what a process has mapped.
class Leftovers {
 public:
  Leftovers();
  ~Leftovers();
  Leftovers(const Leftovers&) = delete;
  Leftovers& operator=(const Leftovers&) = delete;

  void remove_at_end() noexcept { remove_ = true; }

 private:
  std::set<std::string> before_;
  bool remove_ = false;
};

}  // namespace takt::lab::comm

// SPDX-License-Identifier: Apache-2.0
#include "lab/comm/leftovers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace takt::lab::comm {
namespace {

std::string path_of(const std::string& name) {
  return "/dev/shm/fastrtps_takt_test_" + std::to_string(::getpid()) + name;
}

TEST(CommLeftovers, WhatIsNewIsRemovedUnlessAProcessHasItMapped) {
  std::ofstream(path_of("_before")) << "1";
  {
    Leftovers leftovers;
    for (const auto* name : {"_new", "_new_el", "_used", "_used_el"}) std::ofstream(path_of(name)) << "1";
    const int used = ::open(path_of("_used").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(used, 0);
    ASSERT_NE(::mmap(nullptr, 1, PROT_READ, MAP_SHARED, used, 0), MAP_FAILED);
    ::close(used);
    leftovers.remove_at_end();
  }
  EXPECT_FALSE(std::filesystem::exists(path_of("_new")));
  EXPECT_FALSE(std::filesystem::exists(path_of("_new_el")));
  for (const auto* name : {"_before", "_used", "_used_el"})
    EXPECT_TRUE(std::filesystem::remove(path_of(name))) << name;
}

}  // namespace
}  // namespace takt::lab::comm

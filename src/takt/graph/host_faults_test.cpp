// SPDX-License-Identifier: Apache-2.0
// A full file system, no descriptors, no privileges, a folder that is not one's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "takt/graph/host_test_support.hpp"

namespace takt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// How a scenario of host_faults_main.cpp ends.
int run_fault(const std::string& scenario, const shm::DiscoveryFolder& folder) {
  const auto line = TAKT_BIN_DIR "/takt_graph_faults " + scenario + " " + folder.base();
  const auto status =
      std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe,cert-env33-c): the test's own
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(HostFaults, AFullFileSystemIsAnErrorOrARefusalAndNoCrash) {
  const shm::DiscoveryFolder folder;
  const int code = run_fault("full", folder);
  if (code == 77) GTEST_SKIP() << "needs CAP_SYS_ADMIN to mount a small tmpfs";
  EXPECT_EQ(code, 0);
}

TEST(HostFaults, WithoutDescriptorsItSaysSoAndGoesOnWhenThereAreSome) {
  const shm::DiscoveryFolder folder;
  EXPECT_EQ(run_fault("descriptors", folder), 0);
}

TEST(HostFaults, AUserWithoutPrivilegesNeedsNone) {
  const shm::DiscoveryFolder folder;
  EXPECT_EQ(run_fault("nobody", folder), 0);
}

/// What takt::init says of the folder.
std::string refusal_of(const std::string& folder) {
  InitOptions options;
  options.handle_signals = false;
  options.discovery = DiscoveryRange::localhost;
  options.shm_folder = folder;
  try {
    init(0, nullptr, options);
  } catch (const SetupError& error) {
    return std::string(error.what()) + " | " + error.fix();
  }
  shutdown();
  return "accepted";
}

TEST(HostFaults, AFolderThatOthersMayEnterIsRefusedByName) {
  const shm::DiscoveryFolder folder;
  ASSERT_EQ(::chmod(folder.base().c_str(), 0777), 0);
  EXPECT_THAT(refusal_of(folder.base()), AllOf(HasSubstr(folder.base()), HasSubstr("other users")));
}

TEST(HostFaults, ALinkInPlaceOfTheFolderIsRefusedByName) {
  const shm::DiscoveryFolder folder;
  const shm::DiscoveryFolder elsewhere;
  const auto link = folder.base() + "/link";
  std::filesystem::create_symlink(elsewhere.base(), link);
  EXPECT_THAT(refusal_of(link), AllOf(HasSubstr(link), HasSubstr("not a folder")));
}

TEST(HostFaults, AnotherUsersFolderIsRefusedByName) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a folder away";
  const shm::DiscoveryFolder folder;
  ASSERT_EQ(::chown(folder.base().c_str(), 65'534, 65'534), 0);
  EXPECT_THAT(refusal_of(folder.base()), AllOf(HasSubstr(folder.base()), HasSubstr("user 65534")));
}

}  // namespace
}  // namespace takt::testing

// SPDX-License-Identifier: Apache-2.0
#include "lab/common/child_process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "lab/common/fake_tree.hpp"

namespace takt::lab {
namespace {

using namespace std::chrono_literals;

/// Waits until it has ended; a test's own time limit ends one that does not.
void wait_for(ChildProcess& child) {
  while (child.running()) std::this_thread::sleep_for(5ms);
}

TEST(ChildProcess, TellsHowItEnded) {
  ChildProcess good({"/bin/sh", "-c", "exit 0"});
  wait_for(good);
  EXPECT_TRUE(good.ended_normally());
  ChildProcess bad({"/bin/sh", "-c", "exit 3"});
  wait_for(bad);
  EXPECT_FALSE(bad.ended_normally());
  EXPECT_EQ(bad.ending(), "exit code 3");
  ChildProcess none({"/nonexistent/program"});
  wait_for(none);
  EXPECT_EQ(none.ending(), "exit code 127");
}

TEST(ChildProcess, OneThatIsKilledIsSeen) {
  ChildProcess child({"/bin/sleep", "60"});
  EXPECT_TRUE(child.running());
  kill(child.pid(), SIGKILL);
  wait_for(child);
  EXPECT_FALSE(child.ended_normally());
  EXPECT_EQ(child.ending(), "signal 9 (Killed)");
}

TEST(ChildProcess, StopEndsOneThatDoesNotListen) {
  const FakeTree tree;
  ChildProcess child(
      {"/bin/sh", "-c",
       "trap '' TERM; : >" + (tree.root() / "ready").string() + "; while :; do sleep 0.05; done"});
  while (!std::filesystem::exists(tree.root() / "ready")) std::this_thread::sleep_for(5ms);
  child.stop(100ms);
  EXPECT_FALSE(child.running());
  EXPECT_EQ(child.ending(), "signal 9 (Killed)");
}

TEST(ChildProcess, HasItsEnvironmentAndItsErrorsAreKept) {
  const FakeTree tree;
  const auto errors = tree.root() / "errors";
  ChildProcess child({"/bin/sh", "-c", "echo $TAKT_TEST_WORD >&2; echo lost"},
                     {.environment = {{"TAKT_TEST_WORD", "found"}}, .errors = errors});
  wait_for(child);
  EXPECT_EQ(text_of(errors), "found\n");
}

TEST(ChildProcess, EndsWithTheObject) {
  pid_t pid = -1;
  {
    ChildProcess child({"/bin/sleep", "60"});
    pid = child.pid();
  }
  EXPECT_NE(kill(pid, 0), 0);
}

}  // namespace
}  // namespace takt::lab

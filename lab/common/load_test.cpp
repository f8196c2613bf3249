// SPDX-License-Identifier: Apache-2.0
#include "lab/common/load.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "lab/common/errors.hpp"

namespace takt::lab {
namespace {

using namespace std::chrono_literals;

bool stress_ng_is_there() { return std::filesystem::exists("/usr/bin/stress-ng"); }

/// How many processes have the word `mark` on their command line.
int processes_with(const std::string& mark) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    bool has_mark = false;
    for (std::string word; std::getline(file, word, '\0');) has_mark = has_mark || word == mark;
    found += has_mark ? 1 : 0;
  }
  return found;
}

TEST(LoadTest, NoneIsNothing) {
  Load load(LoadKind::none, 1s);
  EXPECT_EQ(load.command(), "");
  EXPECT_FALSE(load.running());
}

TEST(LoadTest, MissingStressNgIsNamedWithTheFix) {
  const std::string path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  setenv("PATH", "/nonexistent", 1);             // NOLINT(concurrency-mt-unsafe)
  try {
    const Load load(LoadKind::stress_ng, 1s);
    ADD_FAILURE();
  } catch (const CannotMeasure& error) {
    EXPECT_NE(std::string(error.what()).find("stress-ng"), std::string::npos);
    EXPECT_NE(error.fix().find("--load none"), std::string::npos);
  }
  setenv("PATH", path.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
}

TEST(LoadTest, AMissingTemporaryFolderIsNamedWithTheFix) {
  if (!stress_ng_is_there()) GTEST_SKIP() << "stress-ng is not installed";
  setenv("TMPDIR", "/nonexistent", 1);  // NOLINT(concurrency-mt-unsafe)
  try {
    const Load load(LoadKind::stress_ng, 1s);
    ADD_FAILURE();
  } catch (const CannotMeasure& error) {
    EXPECT_NE(std::string(error.what()).find("TMPDIR=/nonexistent"), std::string::npos) << error.what();
    EXPECT_NE(error.fix().find("--load none"), std::string::npos);
  }
  unsetenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
}

TEST(LoadTimingTest, FillsEveryCoreAndEndsWithTheObject) {
  if (!stress_ng_is_there()) GTEST_SKIP() << "stress-ng is not installed";
  const std::string mark = "3571s";  // a limit that no other load has
  {
    Load load(LoadKind::stress_ng, 3571s);
    EXPECT_TRUE(load.running());
    EXPECT_NE(load.command().find("stress-ng --cpu "), std::string::npos);
    const auto before = read_cpu_ticks();
    std::this_thread::sleep_for(500ms);
    const auto usage = usage_between(before, read_cpu_ticks());
    EXPECT_EQ(load_fault(LoadKind::stress_ng, usage, load.running()), "");
    EXPECT_EQ(load.cpu_time(), Duration::zero());
    load.stop();
    EXPECT_GT(load.cpu_time(), 100ms);
  }
  EXPECT_EQ(processes_with(mark), 0);
}

TEST(LoadTimingTest, DiesWithAProcessThatIsKilled) {
  if (!stress_ng_is_there()) GTEST_SKIP() << "stress-ng is not installed";
  const pid_t child = fork();
  if (child == 0) {
    const Load load(LoadKind::stress_ng, 3572s);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  for (int i = 0; i < 100 && processes_with("3572s") > 0; ++i) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(processes_with("3572s"), 0);
}

TEST(LoadTest, TheProofNamesTheIdleCore) {
  CpuUsage usage{{{0, 99.5, 0}, {1, 83.1, 0}}, 0};
  EXPECT_EQ(load_fault(LoadKind::stress_ng, usage, true),
            "core 1 was busy for 83.1 % of the time only, 95 % are needed");
  usage.cores[1].busy_pct = 95;
  EXPECT_EQ(load_fault(LoadKind::stress_ng, usage, true), "");
  EXPECT_NE(load_fault(LoadKind::stress_ng, usage, false), "");
  EXPECT_NE(load_fault(LoadKind::stress_ng, {}, true), "");
  usage.cores[1].busy_pct = 0;
  EXPECT_EQ(load_fault(LoadKind::none, usage, false), "");
}

}  // namespace
}  // namespace takt::lab

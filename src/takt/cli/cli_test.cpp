// SPDX-License-Identifier: Apache-2.0
// Runs the real binary: streams, exit codes, and what it says to bad input.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace takt::cli {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string kTakt = std::string(TAKT_BIN_DIR) + "/takt";
const std::string kRoot = TAKT_SOURCE_DIR;

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class CliTest : public testing::Test {
 protected:
  CliTest() {
    std::string pattern = testing::TempDir() + "takt_cli_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    fs::permissions(folder_, fs::perms::all);  // an unprivileged user writes here as well
  }
  ~CliTest() override {
    std::error_code error;
    fs::remove_all(folder_, error);
  }

  /// Runs a shell command in a folder of this test's own.
  Outcome shell(const std::string& command) const {
    const auto out = folder_ / ".out";
    const auto err = folder_ / ".err";
    const auto line = "cd " + folder_.string() + " && { " + command + "; } >" + out.string() + " 2>" +
                      err.string() + " </dev/null";
    const int status =
        std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe,cert-env33-c): a test's own command
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out), text_of(err)};
  }
  Outcome takt(const std::string& arguments) const { return shell(kTakt + " " + arguments); }

  /// As a user without any privilege.
  Outcome takt_unprivileged(const std::string& arguments) const {
    if (geteuid() != 0) return shell("prlimit --rtprio=0:0 " + kTakt + " " + arguments);
    return shell("prlimit --rtprio=0:0 setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all " +
                 kTakt + " " + arguments);
  }
  /// Whether an unprivileged user can start the binary at all (the build may lie in a closed folder).
  bool unprivileged_can_run() const { return takt_unprivileged("--version").exit_code == 0; }

  void expect_valid(const std::string& schema, const std::string& file, const std::string& how = "") const {
    const auto outcome = shell("/usr/bin/python3 -B " + kRoot + "/tools/validate_json.py " + how + " " +
                               kRoot + "/docs/formats/" + schema + " " + file);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  }

  void expect_usage_error(const std::string& arguments, const std::string& said) const {
    const auto outcome = takt(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(said)) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("--help")) << arguments;
    EXPECT_FALSE(fs::exists(folder_ / "reports")) << arguments;
  }

  fs::path folder_;
};

TEST_F(CliTest, HelpNamesVerbsExamplesAndExitCodes) {
  const auto help = takt("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.err, IsEmpty());
  for (const char* word : {"real time", "lab", "help", "Examples:", "Exit codes:", "not judged", "takt-X"}) {
    EXPECT_THAT(help.out, HasSubstr(word));
  }
  EXPECT_EQ(takt("-h").out, help.out);
  EXPECT_EQ(takt("help").out, help.out);
  EXPECT_THAT(takt("help lab deadlines").out, HasSubstr("--phase"));
  EXPECT_EQ(takt("lab help").out, takt("lab --help").out);
  EXPECT_EQ(takt("help lab").out, takt("lab --help").out);
  EXPECT_EQ(takt("lab help deadlines").out, takt("lab deadlines --help").out);
  EXPECT_THAT(takt("lab priority --help").out, HasSubstr("--design"));
}

TEST_F(CliTest, VersionHasNumberAndCommit) {
  const auto version = takt("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("takt [0-9]+\\.[0-9]+\\.[0-9]+ \\(commit [^ ]+\\)\n"));
}

TEST_F(CliTest, WithoutVerbItIsAUsageError) {
  const auto nothing = takt("");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.out, IsEmpty());
  EXPECT_THAT(nothing.err, HasSubstr("Usage: takt"));
}

TEST_F(CliTest, LabAloneListsTheExperiments) {
  const auto list = takt("lab");
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr("priority"));
  EXPECT_THAT(list.out, HasSubstr("deadlines"));
}

TEST_F(CliTest, UnknownVerbsAndOptionsNameNearMatches) {
  expect_usage_error("lob", "did you mean lab?");
  expect_usage_error("xyzzy", "unknown verb 'xyzzy', and no program takt-xyzzy");
  expect_usage_error("lab deadlins", "did you mean deadlines?");
  expect_usage_error("lab xyzzy", "unknown verb 'xyzzy'");
  expect_usage_error("lab deadlines --second 5", "did you mean --seconds?");
  expect_usage_error("lab deadlines --xyzzy", "unknown option '--xyzzy'");
  expect_usage_error("lab deadlines wall_injected", "wall_injected");
  expect_usage_error("--xyzzy", "unknown option '--xyzzy'");
  expect_usage_error("../lab", "unknown verb");
  expect_usage_error("''", "unknown verb");
}

TEST_F(CliTest, BadValuesAreUsageErrors) {
#if defined(TAKT_ASAN)  // each program takes half a second
  constexpr std::array kExperiments = {"deadlines"};
#else
  constexpr std::array kExperiments = {"deadlines", "priority"};
#endif
  for (const char* experiment : kExperiments) {
    for (const char* seconds :
         {"0", "-1", "-0.0", "1e9", "nan", "inf", "-inf", "abc", "''", "1s", "5,0", "0x10", "+1", "1e-300"}) {
      expect_usage_error("lab " + std::string(experiment) + " --seconds " + seconds, "--seconds");
      expect_usage_error("lab " + std::string(experiment) + " --json --seconds=" + seconds, "--seconds");
    }
    expect_usage_error("lab " + std::string(experiment) + " --seconds", "--seconds");
    expect_usage_error("lab " + std::string(experiment) + " --scheduling realtime", "--scheduling");
  }
  expect_usage_error("lab deadlines --phase wall", "wall_injected");
  expect_usage_error("lab deadlines --phase", "--phase");
  for (const char* threads :
       {"0", "-1", "65", "1e9", "two", "1.5", "99999999999999999999", "010", "0x2", "+2"}) {
    expect_usage_error("lab deadlines --threads " + std::string(threads), "--threads");
  }
  for (const char* quota : {"0", "-1", "nan", "one", "1e9", "0.001"})
    expect_usage_error("lab deadlines --cpu-quota=" + std::string(quota), "--cpu-quota");
  for (const char* memory : {"0", "1", "-1g", "1x", "1gg", "''", "99999999999g", "g"})
    expect_usage_error("lab deadlines --memory=" + std::string(memory), "--memory");
  for (const char* runs : {"0", "101", "-1", "1.5"})
    expect_usage_error("lab deadlines --runs=" + std::string(runs), "--runs");
  expect_usage_error("lab deadlines --clock-thread both", "--clock-thread");
  expect_usage_error("lab priority --design 4", "--design");
  for (const char* out : {"deadlines --out ''", "priority --out ''", "deadlines --out="}) {
    expect_usage_error("lab " + std::string(out), "--out");
  }
}

TEST_F(CliTest, ArithmeticAgrees) {
  const auto table = takt("lab deadlines --arithmetic");
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_THAT(table.out, HasSubstr("agrees"));
  EXPECT_THAT(table.out, Not(HasSubstr("DIFFERS")));
  const auto json = takt("lab deadlines --arithmetic --json");
  std::ofstream(folder_ / "arithmetic") << json.out;
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_TRUE(nlohmann::json::parse(json.out)["all_agree"]);
  expect_valid("lab-deadlines.schema.json", "arithmetic");
}

TEST_F(CliTest, ProgramsOnPathAreVerbs) {
  const auto program = folder_ / "takt-greet";
  std::ofstream(program) << "#!/bin/sh\necho \"greet $# $1\"\nexit 7\n";
  fs::permissions(program, fs::perms::owner_all);
  const auto outcome = shell("PATH=" + folder_.string() + ":$PATH " + kTakt + " greet 'two words' --json");
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.out, "greet 2 two words\n");
  EXPECT_EQ(takt("greet").exit_code, 2);  // not on PATH
  const auto no_program = folder_ / "takt-plain";
  std::ofstream(no_program) << "not executable";
  EXPECT_EQ(shell("PATH=" + folder_.string() + ":$PATH " + kTakt + " plain").exit_code, 2);
}

TEST_F(CliTest, AnOutputFolderThatCannotBeWrittenIsNamed) {
  if (!unprivileged_can_run()) GTEST_SKIP() << "an unprivileged user cannot reach " << kTakt;
  const auto closed = folder_ / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
  const auto occupied = folder_ / "file";
  std::ofstream(occupied) << "a file";
  for (const auto& out : {closed / "below", closed, occupied, fs::path("/proc/takt")}) {
    const auto refused = takt_unprivileged("lab deadlines --seconds 1 --out " + out.string());
    EXPECT_EQ(refused.exit_code, 3) << out;
    EXPECT_THAT(refused.out, IsEmpty()) << out;
    EXPECT_THAT(refused.err, HasSubstr(out.string()));
    EXPECT_THAT(refused.err, HasSubstr("--out"));
  }
}

TEST_F(CliTest, MissingPrivilegeIsNamedWithItsFix) {
  if (!unprivileged_can_run()) GTEST_SKIP() << "an unprivileged user cannot reach " << kTakt;
  const auto refused = takt_unprivileged("lab deadlines --json --seconds 1 --scheduling fifo --out x");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.out, IsEmpty());
  EXPECT_THAT(refused.err, HasSubstr("SCHED_FIFO"));
  EXPECT_THAT(refused.err, AnyOf(HasSubstr("rtprio"), HasSubstr("CAP_SYS_NICE")));
  EXPECT_THAT(refused.err, HasSubstr("--scheduling normal"));
  EXPECT_FALSE(fs::exists(folder_ / "x"));

  const auto priority =
      takt_unprivileged("lab priority --design 3 --scheduling rt --load none --seconds 1 --out y");
  EXPECT_EQ(priority.exit_code, 3);
  EXPECT_THAT(priority.err, AnyOf(HasSubstr("rtprio"), HasSubstr("CAP_SYS_NICE")));

  const auto normal =
      takt_unprivileged("lab deadlines --phase wall_baseline --seconds 1 --scheduling normal --out x");
  EXPECT_EQ(normal.exit_code, 0) << normal.err;
  EXPECT_TRUE(fs::exists(folder_ / "x" / "results.json"));
}

TEST_F(CliTest, MissingLoadGeneratorIsNamed) {
  const auto outcome = shell("PATH=/nonexistent " + kTakt +
                             " lab priority --design 3 --scheduling normal --seconds 1 --out x");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("stress-ng"));
}

TEST_F(CliTest, DeadlinesWritesWhatTheFormatsSay) {
  const auto run = takt("lab deadlines --json --seconds 0.6 --runs 2 --out result");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::ofstream(folder_ / "lines") << run.out;
  expect_valid("lab-deadlines-line.schema.json", "lines", "--lines");
  expect_valid("lab-deadlines.schema.json", "result/results.json");

  std::vector<nlohmann::json> lines;
  std::istringstream text(run.out);
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 14U);  // seven a run
  for (const std::size_t first : {std::size_t{0}, std::size_t{7}}) {
    EXPECT_EQ(lines[first]["phase"], "environment");
    EXPECT_EQ(lines[first + 1]["phase"], "wall_baseline");
    EXPECT_EQ(lines[first + 2]["phase"], "wall_injected");
    EXPECT_EQ(lines[first + 2]["inject_every"], 50);
    EXPECT_EQ(lines[first + 3]["phase"], "sim_rtf1");
    EXPECT_EQ(lines[first + 4]["phase"], "sim_rtf1_injected");
    EXPECT_EQ(lines[first + 5]["phase"], "sim_rtf05");
    EXPECT_EQ(lines[first + 6]["phase"], "done");
  }
  for (const char* file : {"plan.md", "wall_baseline.csv", "wall_injected-2.csv", "sim_rtf1-clock.jsonl",
                           "sim_rtf05-2.csv", "report.html"}) {
    EXPECT_TRUE(fs::exists(folder_ / "result" / file)) << file;
  }
  const auto results = nlohmann::json::parse(text_of(folder_ / "result" / "results.json"));
  const auto& injected = results["runs"][0]["phases"][1];
  EXPECT_EQ(injected["misses"].size(), injected["deadline_misses"]);
  EXPECT_THAT(text_of(folder_ / "result" / "wall_injected.csv"), StartsWith("activation,wall_start_ns,"));
}

TEST_F(CliTest, AQuotaWithoutPrivilegeIsRefusedWithTheFix) {
  if (!unprivileged_can_run()) GTEST_SKIP() << "an unprivileged user cannot reach " << kTakt;
  const auto refused = takt_unprivileged("lab deadlines --json --seconds 0.1 --cpu-quota 0.5 --out x");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.out, IsEmpty());
  EXPECT_THAT(refused.err, HasSubstr("root"));
  EXPECT_THAT(refused.err, HasSubstr("--cpu-quota"));
  EXPECT_FALSE(fs::exists(folder_ / "x"));
}

TEST_F(CliTest, DeadlinesEndsWithItsVerdict) {
  const auto run = takt("lab deadlines --phase wall_injected --seconds 1 --threads 2 --out result");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("result"));
  EXPECT_THAT(run.out, HasSubstr("\nwall_injected: "));
  EXPECT_EQ(run.out.substr(run.out.size() - 2), ".\n");
}

TEST_F(CliTest, AStdoutThatCannotBeWrittenIsAnErrorAndTheResultsAreThere) {
  for (const char* arguments :
       {"--help", "--version", "lab", "lab deadlines --help", "lab deadlines --arithmetic",
        "lab deadlines --phase wall_baseline --seconds 0.1 --out full"}) {
    const auto full = takt(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(full.exit_code, 3) << arguments;
    EXPECT_THAT(full.err, HasSubstr("cannot write to stdout: No space left on device")) << arguments;
    EXPECT_EQ(takt(std::string(arguments) + " >&-").exit_code, 3) << arguments;
  }
  EXPECT_TRUE(fs::exists(folder_ / "full" / "results.json"));
  EXPECT_EQ(takt("lab deadlines --xyzzy >&-").exit_code, 2);
}

TEST_F(CliTest, AReaderThatLeavesDoesNotLoseTheResults) {
  const auto run = shell(
      "{ " + kTakt + " lab deadlines --json --seconds 0.3 --out result; echo \"code $?\" >&2; } | head -1");
  EXPECT_THAT(run.out, HasSubstr("environment"));
  EXPECT_THAT(run.err, HasSubstr("code 0"));
  EXPECT_TRUE(fs::exists(folder_ / "result" / "results.json"));
}

TEST_F(CliTest, ARunThatIsEndedEarlyKeepsTheFinishedPhases) {
  // ended as soon as the first phase is written, so in the second one or before it
  const auto run = shell(
      kTakt +
      " lab deadlines --json --phase wall_baseline --phase wall_injected --seconds 3 --out result >lines & "
      "pid=$!; "
      "while ! [ -e result/wall_baseline.csv ]; do sleep 0.05; done; kill -TERM $pid; wait $pid");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_valid("lab-deadlines-line.schema.json", "lines", "--lines");
  expect_valid("lab-deadlines.schema.json", "result/results.json");
  const auto results = nlohmann::json::parse(text_of(folder_ / "result" / "results.json"));
  EXPECT_EQ(results["partial"], true);
  const auto& phases = results["runs"][0]["phases"];
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_FALSE(phases[0].contains("partial"));
  EXPECT_EQ(phases[1]["partial"], true);
  for (const auto& prediction : results["predictions"]) {
    if (prediction["phase"] == "wall_injected") {
      EXPECT_TRUE(prediction["met"].is_null()) << prediction;
    }
  }
  EXPECT_TRUE(fs::exists(folder_ / "result" / "report.html"));
}

TEST_F(CliTest, WithoutFileDescriptorsTheLimitIsNamed) {
#if defined(TAKT_ASAN)
  GTEST_SKIP() << "the sanitizer looks at objects through a pipe, for which no descriptor is left";
#endif
  const auto run = shell("ulimit -n 16; " + kTakt +
                         " lab priority --design 3 --seconds 1 --load none --json --scheduling normal");
  EXPECT_THAT(run.exit_code, AnyOf(0, 3)) << run.err;  // no abort, whatever it manages with
  if (run.exit_code == 3) {
    EXPECT_THAT(run.err, HasSubstr("Too many open files"));
  }
}

TEST_F(CliTest, ATooShortRunSaysSo) {
  const auto run = takt("lab deadlines --phase wall_baseline --seconds 0.015 --out result");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("--seconds"));
}

}  // namespace
}  // namespace takt::cli

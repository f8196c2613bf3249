#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""demo.sh and test.sh: exit codes, announcements and the closing line, with fakes of what they call."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CommandTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.tree = pathlib.Path(scratch.name)
        for script in ("demo.sh", "test.sh"):
            shutil.copy(ROOT / script, self.tree / script)
        (self.tree / "src").mkdir()
        for tool in ("setup.sh", "check_includes.py", "lint.py"):
            self.fake(f"tools/{tool}", "exit 0")
        for tool in ("cmake", "clang-format", "ctest"):
            self.fake(f"path/{tool}", "exit 0")

    def fake(self, name, script):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def run_script(self, *command):
        environment = {**os.environ, "PATH": f"{self.tree / 'path'}:{os.environ['PATH']}"}
        return subprocess.run([self.tree / command[0], *command[1:]], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)


class DemoTest(CommandTest):
    TAKT = 'while [ "$1" != --out ]; do echo "arg $1"; shift; done; mkdir -p "$2"; touch "$2/report.html"'
    SENTENCE = 'Real time factor 0.9998, 20 deadlines missed in 5 s ("sim_rtf1_injected").'
    PHASES = ["wall_baseline: 0 deadline misses; as predicted", "wall_injected: 10 deadline misses, as predicted",
              "sim_rtf1_injected: 20 deadline misses."]
    RESULTS = {"schema_version": 1, "command": ["takt", "lab", "deadlines"], "sentence": SENTENCE,
               "verdict": "; ".join(PHASES), "runs": [{"phases": [], "verdict": "of one run"}]}

    def test_announces_runs_both_experiments_and_names_the_reports(self):
        self.fake("tools/setup.sh", '[ "$1" != --dry-run ] || echo "a list of packages"')
        self.fake("build/bin/takt", self.TAKT)
        result = self.run_script("demo.sh", "--quick")
        self.assertEqual(result.returncode, 0, result.stderr)
        announced, _, ran = result.stdout.partition("== ")
        self.assertIn("a list of packages", announced)
        self.assertIn("cores", announced)
        self.assertIn("arg priority", ran)
        self.assertIn("arg deadlines", ran)
        self.assertEqual(ran.count("report: reports/"), 2)

    def test_ends_with_what_the_control_loop_found(self):
        results = self.tree / "results"
        results.write_text(json.dumps(self.RESULTS, indent=2))
        self.fake("build/bin/takt", f'verb=$2; {self.TAKT}; [ "$verb" != deadlines ] || cp {results} "$2/results.json"')
        result = self.run_script("demo.sh")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        at = lines.index(self.SENTENCE)
        self.assertEqual(lines[at + 1:at + 4], self.PHASES)
        self.assertTrue(all(line.startswith("report: ") for line in lines[at + 4:]), lines[at + 4:])

    def test_goes_on_after_a_failed_experiment_and_ends_with_its_exit_code(self):
        self.fake("build/bin/takt", f'[ "$2" != deadlines ] || exit 3; {self.TAKT}')
        result = self.run_script("demo.sh")
        self.assertEqual(result.returncode, 3)
        self.assertIn("arg priority", result.stdout)

    def test_a_build_that_fails_ends_with_3(self):
        self.fake("path/cmake", "exit 1")
        self.assertEqual(self.run_script("demo.sh").returncode, 3)

    def test_a_wrong_option_is_usage(self):
        self.assertEqual(self.run_script("demo.sh", "--fast").returncode, 2)


class TestTest(CommandTest):
    @staticmethod
    def ctest(total, failed):
        percent = 100 * (total - failed) // total
        return (f'echo "{percent}% tests passed, {failed} tests failed out of {total}"\n'
                f"exit {1 if failed else 0}")

    def last_line(self, result):
        return result.stdout.splitlines()[-1]

    # As programs with many tests leave it behind: one that failed in the first run passes in the second.
    SHARDS = """
case "$*" in
  *asan*--rerun-failed*) echo "[       OK ] A.Flaky (3 ms)" > build/asan/Testing/Temporary/LastTest.log; exit $AGAIN ;;
  *asan*) mkdir -p build/asan/Testing/Temporary
    printf '%s\\n' '[       OK ] A.One (1 ms)' '[  FAILED  ] A.Flaky (2 ms)' '[       OK ] B/C.Two/0 (12 ms)' \
      > build/asan/Testing/Temporary/LastTest.log
    exit 8 ;;
  *) echo "100% tests passed, 0 tests failed out of 7" ;;
esac
"""

    def test_counts_the_tests_of_every_run_and_each_check(self):
        self.fake("path/ctest", self.SHARDS.replace("  FAILED  ", "       OK ").replace("exit 8", "exit 0"))
        result = self.run_script("test.sh")
        self.assertEqual(result.returncode, 0, result.stdout)
        # format, arrows, 3 builds, headers, canary, lint: 8 checks; two runs of seven tests, and three that gtest reports
        self.assertEqual(self.last_line(result), "25 passed, 0 failed")

    def test_a_run_without_a_test_is_a_failure(self):
        self.fake("path/ctest", self.ctest(7, 0))
        result = self.run_script("test.sh")
        self.assertEqual(self.last_line(result), "22 passed, 1 failed")

    def test_counts_what_gtest_reports_where_programs_share_a_process(self):
        self.fake("path/ctest", self.SHARDS.replace("$AGAIN", "0"))
        result = self.run_script("test.sh")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(self.last_line(result), "25 passed, 0 failed")
        self.assertIn("only at the second try: A.Flaky", result.stdout)

    def test_a_program_that_ends_in_the_middle_twice_is_a_failure(self):
        self.fake("path/ctest", self.SHARDS.replace("$AGAIN", "8"))
        result = self.run_script("test.sh")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.last_line(result), "25 passed, 1 failed")

    def test_a_failed_test_is_counted_and_fails_the_command(self):
        self.fake("path/ctest", self.ctest(7, 2))
        result = self.run_script("test.sh", "--quick")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.last_line(result), "8 passed, 2 failed")

    def test_a_ctest_that_says_nothing_is_a_failure(self):
        self.fake("path/ctest", "exit 8")
        result = self.run_script("test.sh", "--quick")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.last_line(result), "3 passed, 1 failed")

    def test_a_failed_build_is_a_failure_and_its_tests_are_not_run(self):
        self.fake("path/cmake", 'echo "the error"; exit 1')
        result = self.run_script("test.sh", "--quick")
        self.assertEqual(result.returncode, 1)
        self.assertIn("the error", result.stdout)
        self.assertEqual(self.last_line(result), "2 passed, 1 failed")

    def test_a_file_that_is_not_formatted_is_named(self):
        (self.tree / "src" / "ugly.cpp").write_text("")
        self.fake("path/clang-format", 'echo "src/ugly.cpp:1:1: warning: code should be clang-formatted" >&2')
        self.fake("path/ctest", self.ctest(1, 0))
        result = self.run_script("test.sh", "--quick")
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/ugly.cpp", result.stdout)

    def test_a_clang_format_that_fails_is_a_failure_and_its_words_are_shown(self):
        self.fake("path/clang-format", 'echo "no such style" >&2; exit 1')
        self.fake("path/ctest", self.ctest(1, 0))
        result = self.run_script("test.sh", "--quick")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no such style", result.stdout)
        self.assertEqual(self.last_line(result), "3 passed, 1 failed")

    def test_a_set_up_that_fails_ends_with_3(self):
        self.fake("tools/setup.sh", "exit 3")
        self.assertEqual(self.run_script("test.sh").returncode, 3)


if __name__ == "__main__":
    unittest.main()

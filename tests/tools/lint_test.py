#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/lint.py names the right file and line though it looks at files in batches, and forgets none."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLEAN = "int half(int a);\nint half(int a) {\n  return a / 2;\n}\n"
FAULT = "// line 1\n\nint* none() {\n  return 0;\n}\n"
PROGRAM = "#include <stddef.h>  // NOLINT\nclass Own {};\nint main(int, char** argv) {\n  return argv[0] != 0 ? 1 : 0;\n}\n"


@unittest.skipUnless(shutil.which("clang-tidy"), "clang-tidy is missing: tools/setup.sh test")
class LintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "tools").mkdir()
        shutil.copy(ROOT / "tools" / "lint.py", self.root / "tools")
        shutil.copy(ROOT / ".clang-tidy", self.root)

    def lint(self, files, *arguments):
        """files: {name: text}; the first folder of a name is its target."""
        build = self.root / "build"
        build.mkdir(exist_ok=True)
        entries = []
        for name, text in files.items():
            path = self.root / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            output = f"{name.split('/')[0]}.dir/{name}.o"
            entries.append({"directory": str(build), "file": str(path),
                            "command": f"c++ -std=c++20 -Wall -Werror -o {output} -c {path}"})
        (build / "compile_commands.json").write_text(json.dumps(entries))
        return subprocess.run([sys.executable, "-B", self.root / "tools" / "lint.py", "--build", build, *arguments],
                              capture_output=True, text=True, check=False)

    def assert_found(self, result, *places):
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for place in places:
            self.assertIn(f"{self.root}/src/{place}:", result.stdout)
        self.assertEqual(result.stdout.count(": error: "), len(places), result.stdout)

    def test_a_finding_in_a_batch_is_told_of_its_file_and_line(self):
        self.assert_found(self.lint({"a/1.cpp": CLEAN, "a/2.cpp": FAULT, "b/3.cpp": CLEAN}), "a/2.cpp:4")

    def test_programs_with_the_same_names_share_a_batch(self):
        self.assert_found(self.lint({"a/1.cpp": PROGRAM, "b/2.cpp": "\n" + PROGRAM}), "a/1.cpp:4", "b/2.cpp:5")

    def test_files_that_clash_are_looked_at_each_by_itself(self):
        self.assert_found(self.lint({"a/1.cpp": FAULT, "a/2.cpp": FAULT}), "a/1.cpp:4", "a/2.cpp:4")

    def test_a_file_that_does_not_compile_is_a_finding(self):
        self.assert_found(self.lint({"a/1.cpp": CLEAN, "a/2.cpp": "int f() { return nothing; }\n"}), "a/2.cpp:1")

    def test_clean_files_are_not_looked_at_again_until_they_change(self):
        files = {"a/1.cpp": CLEAN, "a/2.cpp": FAULT}
        self.assertIn("2 files looked at, 0 known to be clean, 1 with findings, 0 left", self.lint(files).stdout)
        self.assertIn("1 files looked at, 1 known to be clean, 1 with findings, 0 left", self.lint(files).stdout)
        files["a/1.cpp"] = FAULT.replace("none", "nothing")
        self.assertIn("2 files looked at, 0 known to be clean, 2 with findings, 0 left", self.lint(files).stdout)

    def test_a_finding_in_a_header_is_told_once_and_makes_no_file_clean(self):
        (self.root / "src" / "takt").mkdir(parents=True)
        header = self.root / "src" / "takt" / "h.hpp"
        header.write_text("#pragma once\ninline int* none() { return 0; }\n")
        files = {f"{target}/1.cpp": f'#include "{header}"\n' for target in "ab"}
        self.assert_found(self.lint(files), "takt/h.hpp:2")
        self.assertIn("2 files looked at, 0 known to be clean", self.lint(files).stdout)

    def test_what_there_is_no_time_for_is_counted(self):
        result = self.lint({"a/1.cpp": CLEAN, "b/2.cpp": FAULT}, "--seconds", "0")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("0 files looked at, 0 known to be clean, 0 with findings, 2 left over", result.stdout)

    def test_what_the_last_commit_changed_comes_first(self):
        git = ["git", "-C", str(self.root), "-c", "user.name=a", "-c", "user.email=a@b"]
        files = {"a/1.cpp": CLEAN, "b/2.cpp": FAULT, "c/3.cpp": CLEAN}
        self.lint(files, "--seconds", "0")
        subprocess.run([*git, "init", "-q"], check=True)
        for text in (FAULT, FAULT + "// new\n"):
            (self.root / "src" / "b" / "2.cpp").write_text(text)
            subprocess.run([*git, "add", "src"], check=True)
            subprocess.run([*git, "commit", "-q", "-m", "a"], check=True)
        probe = ("import sys, pathlib; sys.dont_write_bytecode = True; sys.path.insert(0, 'tools'); import lint; "
                 "print([p.name for p in lint.changed_sources(lint.sources(pathlib.Path('build').resolve()))])")
        result = subprocess.run([sys.executable, "-c", probe], cwd=self.root, capture_output=True, text=True, check=True)
        self.assertEqual(result.stdout.strip(), "['2.cpp']")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/setup.sh on a machine where something is missing, played by fakes of dpkg-query, apt-get and sudo."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ["bash", "sed", "grep", "id", "dirname", "cat", "env", "date"]


class SetupTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.bin = pathlib.Path(scratch.name)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(f"/usr/bin/{tool}" if os.path.exists(f"/usr/bin/{tool}") else f"/bin/{tool}")

    def fake(self, name, script):
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def debian(self, but=""):
        """A Debian on which every package but one is installed."""
        self.fake("dpkg-query", f'for p in "${{@:4}}"; do [ "$p" = "{but}" ] || echo "installed $p"; done')
        self.fake("apt-cache", 'echo "  Candidate: 1.0"')
        self.fake("apt-get", 'echo "apt-get $*"')

    def run_setup(self, *arguments):
        return subprocess.run([ROOT / "tools" / "setup.sh", *arguments], env={"PATH": str(self.bin)},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def test_says_and_does_nothing_when_nothing_is_missing(self):
        self.debian()
        result = self.run_setup()
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_installs_as_root_only_what_is_missing_and_says_so(self):
        self.debian(but="rt-tests")
        self.fake("id", "echo 0")
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 Debian packages that are not installed: rt-tests", result.stdout)
        self.assertIn("install -y --no-install-recommends rt-tests", result.stdout)
        self.assertNotIn("update", result.stdout.replace("not installed", ""))

    def test_a_package_is_known_however_long_apt_speaks_of_it(self):
        self.debian(but="rt-tests")
        self.fake("id", "echo 0")
        self.fake("apt-cache", 'echo "  Candidate: 1.0"; for i in {1..20000}; do echo "  $i of a long version table"; done')
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("update", result.stdout)

    def test_a_group_that_was_not_asked_for_is_left_alone(self):
        self.debian(but="clang-tidy")
        self.assertEqual(self.run_setup("build", "run").stdout, "")

    def test_without_root_and_without_a_password_says_what_to_do(self):
        self.debian(but="rt-tests")
        self.fake("id", "echo 1000")
        self.fake("sudo", "exit 1")
        result = self.run_setup()
        self.assertEqual(result.returncode, 3)
        self.assertIn("sudo apt-get install --no-install-recommends rt-tests", result.stderr)

    def test_on_another_system_says_for_which_it_is_made_and_what_lacks(self):
        result = self.run_setup()
        self.assertEqual(result.returncode, 3)
        self.assertIn("Debian 12", result.stderr)
        self.assertIn("cmake", result.stderr)

    def test_on_a_release_without_the_package_names_it(self):
        self.debian(but="rt-tests")
        self.fake("id", "echo 0")
        self.fake("apt-cache", 'echo "  Candidate: (none)"')
        result = self.run_setup()
        self.assertEqual(result.returncode, 3)
        self.assertIn("does not have rt-tests", result.stderr)


if __name__ == "__main__":
    unittest.main()

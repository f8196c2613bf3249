#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_includes.py bites: a tree with a forbidden include is refused, and the right ones pass."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check_includes.py"


class CheckIncludesTest(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, "-B", CHECK, folder], capture_output=True, text=True, check=False)

    def assert_refused(self, name, include, what):
        result = self.check({name: f"#pragma once\n#include {include}\n"})
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(f"{name}:2: ", result.stdout)
        self.assertIn(what, result.stdout)

    def assert_accepted(self, name, include):
        result = self.check({name: f"#pragma once\n#include {include}\n"})
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_an_arrow_against_the_plan_is_refused(self):
        for name, include, what in [
            ("src/takt/core/clock.hpp", '"takt/timing/recorder.hpp"', "core must not include timing"),
            ("src/takt/timing/recorder.cpp", '"takt/graph/node.hpp"', "timing must not include graph"),
            ("src/takt/timing/recorder.cpp", '"takt/msgs/type_name.hpp"', "timing must not include msgs"),
            ("src/takt/msgs/cdr.hpp", "<takt/timing/verdict.hpp>", "msgs must not include timing"),
            ("src/takt/transport/shm/ring.cpp", '"takt/transport/dds/courier.hpp"', "transport/dds"),
            ("src/takt/transport/transport.hpp", '"takt/transport/shm/ring.hpp"', "transport/shm"),
            ("src/takt/graph/node.cpp", '"takt/sim/clock_driver.hpp"', "graph must not include sim"),
            ("src/takt/sim/clock_driver.cpp", '"takt/observe/table.hpp"', "sim must not include observe"),
            ("src/takt/graph/node_test.cpp", '"takt/takt.hpp"', "graph must not include umbrella"),
            ("lab/priority/run.cpp", '"takt/cli/verbs.hpp"', "lab must not include cli"),
            ("src/takt/observe/page.cpp", '"lab/report.hpp"', "observe must not include lab"),
            ("examples/a.cpp", '"takt/cli/verbs.hpp"', "examples must not include cli"),
            ("src/takt/graph/node.cpp", '"takt/compat/rclcpp.hpp"', "graph must not include compat"),
        ]:
            with self.subTest(name=name, include=include):
                self.assert_refused(name, include, what)

    def test_cyclone_is_seen_by_one_folder_only(self):
        self.assert_refused("src/takt/graph/node.cpp", '"dds/dds.h"', "only transport/dds may include")
        self.assert_accepted("src/takt/transport/dds/courier.cpp", '"dds/dds.h"')
        self.assert_accepted("lab/comm/runners/cyclonedds_main.cpp", "<dds/dds.h>")
        self.assert_refused("lab/comm/round.cpp", "<dds/dds.h>", "only transport/dds may include")

    def test_a_folder_outside_the_plan_is_refused(self):
        result = self.check({"src/takt/misc/a.hpp": "#pragma once\n"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("not in the house plan", result.stdout)

    def test_a_relative_climb_is_refused(self):
        self.assert_refused("src/takt/core/a.cpp", '"../timing/recorder.hpp"', "climbs out")

    def test_arrows_of_the_plan_are_accepted(self):
        for name, include in [
            ("src/takt/timing/recorder.cpp", '"takt/core/clock.hpp"'),
            ("src/takt/graph/node.cpp", '"takt/core/clock.hpp"'),
            ("src/takt/graph/node.cpp", '"takt/transport/shm/ring.hpp"'),
            ("src/takt/cli/lab.cpp", '"lab/priority/run.hpp"'),
            ("src/takt/core/log.cpp", "<spdlog/spdlog.h>"),
            ("hello/hello.cpp", "<takt/takt.hpp>"),
        ]:
            with self.subTest(name=name, include=include):
                self.assert_accepted(name, include)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/generate_interfaces.py: what it writes, when it does nothing, and how it names a wrong line."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "tools" / "generate_interfaces.py"


class GenerateInterfacesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, name, text):
        path = self.folder / "demo_msgs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def generate(self):
        command = [sys.executable, "-B", GENERATOR, "--package", "demo_msgs", "--source",
                   self.folder / "demo_msgs", "--output", self.folder / "out",
                   "--depends", f"std_msgs={ROOT / 'interfaces' / 'std_msgs'}"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def header(self, name):
        return self.folder / "out" / "demo_msgs" / "include" / "demo_msgs" / "msg" / name

    def test_writes_a_header_under_its_snake_case_name(self):
        self.write("msg/WheelSpeed.msg", "std_msgs/Header header\nfloat64 left 1.5\n")
        result = self.generate()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(self.header("wheel_speed.hpp").exists())

    def test_second_run_does_nothing_and_a_change_touches_only_its_own_header(self):
        self.write("msg/One.msg", "int32 a\n")
        self.write("msg/Two.msg", "int32 b\n")
        self.generate()
        before = {name: self.header(name).stat().st_mtime_ns for name in ("one.hpp", "two.hpp")}
        struct_before = self.header("detail/two__struct.hpp").read_text()
        self.assertEqual(self.generate().stdout, "")
        self.write("msg/Two.msg", "int32 c\n")
        self.assertEqual(self.generate().stdout, "generated demo_msgs\n")
        self.assertEqual(self.header("one.hpp").stat().st_mtime_ns, before["one.hpp"])
        self.assertNotEqual(self.header("detail/two__struct.hpp").read_text(), struct_before)

    def test_beside_a_header_lies_the_walk_over_its_fields(self):
        self.write("msg/WheelSpeed.msg", "std_msgs/Header header\nstring<=8[] names\n")
        self.write("srv/ResetWheels.srv", "bool hard\n---\n")
        self.assertEqual(self.generate().returncode, 0)
        self.assertIn("demo_msgs/msg/detail/wheel_speed__fields.hpp", self.header("wheel_speed.hpp").read_text())
        fields = self.header("detail/wheel_speed__fields.hpp").read_text()
        self.assertIn('kName = "demo_msgs/msg/WheelSpeed"', fields)
        self.assertIn('visitor("names", message.names, 8)', fields)
        self.assertIn("std_msgs/msg/detail/header__fields.hpp", fields)
        service = self.header("../srv/detail/reset_wheels__fields.hpp").read_text()
        self.assertIn("structure_needs_at_least_one_member", service)
        self.assertIn("struct Fields<::demo_msgs::srv::ResetWheels>", service)

    def test_a_removed_definition_loses_its_header(self):
        self.write("msg/One.msg", "int32 a\n")
        self.write("msg/Two.msg", "int32 b\n")
        self.generate()
        (self.folder / "demo_msgs" / "msg" / "Two.msg").unlink()
        self.generate()
        self.assertFalse(self.header("two.hpp").exists())

    def assert_refused(self, line, what):
        result = self.generate()
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"Wrong.msg:{line}: ", result.stderr)
        self.assertIn(what, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertFalse((self.folder / "out" / "demo_msgs" / "stamp").exists())

    def test_names_the_line_of_a_field_without_a_name(self):
        self.write("msg/Wrong.msg", "# a comment\nint32 a\n\nfloat64\n")
        self.assert_refused(4, "float64")

    def test_names_the_line_of_a_value_out_of_range(self):
        self.write("msg/Wrong.msg", "int32 a\nuint8 LIMIT=300\nint32 b\n")
        self.assert_refused(2, "300")

    def test_names_the_line_of_a_field_given_twice(self):
        self.write("msg/Wrong.msg", "int32 a\nint32 b\nint32 a\n")
        self.assert_refused(3, "a")

    def test_names_the_line_of_an_unknown_type(self):
        self.write("msg/Wrong.msg", "int32 a\nsensor_msgs/Image image\n")
        self.assert_refused(2, "sensor_msgs/Image")

    def test_a_service_is_generated_too(self):
        self.write("srv/SetSpeed.srv", "float64 speed\n---\nbool accepted\n")
        result = self.generate()
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()

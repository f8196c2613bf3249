#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the .msg and .srv files of one ROS 2 package into the C++ headers that ROS 2 itself would generate.

    generate_interfaces.py --package NAME --source DIR --output DIR [--depends NAME=DIR ...]

DIR of --source and --depends is a package folder (it holds msg/ and srv/). The headers are written to
OUTPUT/NAME/include/NAME/msg/*.hpp, with what takt itself needs of the types beside them (interface_fields.py), and
the IDL files between to OUTPUT/NAME/idl. Nothing is done when the stamp file there says that these very inputs
were already generated, so several build trees share one output. Drives Debian's rosidl (python3-rosidl, rosidl-generator-c-cpp); needs no ament workspace.

Exit: 0 done, 1 a definition is wrong (message: FILE:LINE: what), 3 rosidl is not installed.
"""

import argparse
import contextlib
import fcntl
import hashlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile

import interface_fields

FORMAT = 1  # raise when this script writes something else for the same input
TEMPLATES = pathlib.Path("/usr/share/rosidl_generator_cpp/resource")
TEMPLATE_NAMES = ("idl.hpp.em", "idl__builder.hpp.em", "idl__struct.hpp.em", "idl__traits.hpp.em")


class DefinitionError(Exception):
    """A definition file is wrong; the text begins with FILE:LINE."""


def definitions(folder):
    """The definition files of a package folder, in a stable order."""
    return sorted(folder.glob("msg/*.msg")) + sorted(folder.glob("srv/*.srv"))


def digest_of_inputs(files, depends):
    digest = hashlib.sha256(f"{FORMAT}".encode())
    tools = [pathlib.Path(__file__), pathlib.Path(interface_fields.__file__), *(TEMPLATES / n for n in TEMPLATE_NAMES)]
    for path in [*tools, *files]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for name, folder in sorted(depends.items()):
        names = ",".join(path.name for path in definitions(folder))
        digest.update(f"{name}:{names}\0".encode())
    return digest.hexdigest()


def first_wrong_line(parse, text):
    """The number of the line with which `text` stops being parsable, found by growing prefixes."""
    lines = text.splitlines()
    for count in range(1, len(lines) + 1):
        try:
            parse("\n".join(lines[:count]))
        except Exception:
            return count
    return len(lines)


def parse_definition(package, path):
    """Parses one file; raises DefinitionError naming file and line."""
    from rosidl_adapter.parser import parse_message_string, parse_service_string

    text = path.read_text(encoding="utf-8")
    is_message = path.suffix == ".msg"

    def parse_whole(content):
        if is_message:
            return parse_message_string(package, path.stem, content)
        return parse_service_string(package, path.stem, content)

    def parse_prefix(content):
        has_separator = any(line == "---" for line in content.splitlines())
        return parse_whole(content if is_message or has_separator else content + "\n---\n")

    if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", path.stem):
        raise DefinitionError(f"{path}:1: the file name must be a CamelCase type name")
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            return parse_whole(text)
        except Exception as error:
            what = str(error) or type(error).__name__
            line = first_wrong_line(parse_prefix, text)
    raise DefinitionError(f"{path}:{line}: {what}")


def check_types(path, specification, known):
    """Every field's type must be a primitive or a message of this package or of one it depends on."""
    parts = [specification] if path.suffix == ".msg" else [specification.request, specification.response]
    for field in (field for part in parts for field in part.fields):
        if field.type.is_primitive_type():
            continue
        name = f"{field.type.pkg_name}/{field.type.type}"
        if name in known:
            continue
        line = 1
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            words = text.split()
            if len(words) > 1 and words[1] == field.name:
                line = number
        raise DefinitionError(
            f"{path}:{line}: unknown type {name} of field '{field.name}' "
            "(misspelt, or its package is missing from DEPENDS)")


def write_idl(package, path, specification, folder):
    from rosidl_adapter.resource import expand_template

    kind = path.suffix[1:]
    relative = pathlib.Path(kind) / path.name
    output = folder / relative.with_suffix(".idl")
    data = {"pkg_name": package, "relative_input_file": relative.as_posix(), kind: specification}
    output.parent.mkdir(parents=True, exist_ok=True)
    expand_template(f"{kind}.idl.em", data, output, encoding="iso-8859-1")
    return output


def write_headers(package, idl_folder, idl_files, include_folder):
    from rosidl_generator_cpp import generate_cpp

    arguments = {
        "package_name": package,
        "output_dir": str(include_folder / package),
        "template_dir": str(TEMPLATES),
        "idl_tuples": [f"{idl_folder}:{path.relative_to(idl_folder)}" for path in idl_files],
        "ros_interface_dependencies": [],
        "target_dependencies": [],
    }
    arguments_file = idl_folder / "arguments.json"
    arguments_file.write_text(json.dumps(arguments))
    generate_cpp(str(arguments_file))
    arguments_file.unlink()


def replace_tree(new, old):
    """Makes `old` equal to `new`, but leaves a file with the same content (and its time stamp) alone."""
    wanted = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
    for path in [p for p in old.rglob("*") if p.is_file()] if old.exists() else []:
        if path.relative_to(old) not in wanted:
            path.unlink()
    for relative in sorted(wanted):
        target = old / relative
        content = (new / relative).read_bytes()
        if target.exists() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(target.name + ".new")
        temporary.write_bytes(content)
        os.replace(temporary, target)


def generate(package, source, output, depends):
    files = definitions(source)
    if not files:
        raise DefinitionError(f"{source}:1: the package {package} has no msg/*.msg and no srv/*.srv")
    digest = digest_of_inputs(files, depends)
    folder = output / package
    stamp = folder / "stamp"
    folder.mkdir(parents=True, exist_ok=True)
    with open(output / f".{package}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text() == digest:
            return False
        known = {f"{name}/{path.stem}" for name, where in depends.items() for path in where.glob("msg/*.msg")}
        known |= {f"{package}/{path.stem}" for path in files if path.suffix == ".msg"}
        parsed = [(path, parse_definition(package, path)) for path in files]
        for path, specification in parsed:
            check_types(path, specification, known)
        stamp.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(dir=output, prefix=f".{package}.") as scratch:
            scratch = pathlib.Path(scratch)
            idl_files = [write_idl(package, path, spec, scratch / "idl") for path, spec in parsed]
            write_headers(package, scratch / "idl", idl_files, scratch / "include")
            interface_fields.add_fields_headers(package, scratch / "include", parsed)
            replace_tree(scratch / "idl", folder / "idl")
            replace_tree(scratch / "include", folder / "include")
        stamp.write_text(digest)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", required=True)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--depends", action="append", default=[], metavar="NAME=DIR")
    arguments = parser.parse_args()
    depends = {}
    for entry in arguments.depends:
        name, _, folder = entry.partition("=")
        depends[name] = pathlib.Path(folder)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", arguments.package):
        print(f"{arguments.package}: a package name is lower case letters, digits and _", file=sys.stderr)
        return 1
    try:
        changed = generate(arguments.package, arguments.source.resolve(), arguments.output.resolve(), depends)
    except DefinitionError as error:
        print(error, file=sys.stderr)
        return 1
    except (ImportError, FileNotFoundError) as error:
        print(f"rosidl is not complete on this machine ({error}). Run tools/setup.sh.", file=sys.stderr)
        return 3
    if changed:
        print(f"generated {arguments.package}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

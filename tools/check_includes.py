#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses an #include against the arrows between the modules.

    check_includes.py [ROOT]

ROOT is the project's root (default: the one this file lies in). Prints FILE:LINE: what for every include
that is not allowed. Exit: 0 none, 1 some.
"""

import pathlib
import re
import sys

# The house plan: what each module may include directly. What those may include is allowed as well.
# A folder's path below src/takt is its module's name, the longest that matches.
ARROWS = {
    "core": [],
    "timing": ["core"],
    "msgs": ["core"],
    "transport": ["core", "msgs"],
    "transport/intra": ["transport"],
    "transport/shm": ["transport"],
    "transport/dds": ["transport"],
    "graph": ["timing", "transport", "transport/intra", "transport/shm", "transport/dds", "msgs"],
    "sim": ["graph"],
    "observe": ["graph"],
    "compat": ["graph"],
    # The header that users include, and the folders outside src/takt.
    "umbrella": ["graph", "sim", "observe"],
    "hello": ["umbrella"],
    "examples": ["umbrella"],
    "lab": ["umbrella"],
    "cli": ["umbrella", "lab"],
}

# Libraries that one module alone may see: a prefix of the included path, and its modules.
PRIVATE_LIBRARIES = {
    "dds/": ["transport/dds"],
    "ddsc/": ["transport/dds"],
}
# Programs that measure another library as its own users use it; nothing includes them.
RUNNERS = ("lab", "comm", "runners")

SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".in"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](?P<path>[^>"]+)[>"]')


def allowed_from(module):
    """The module itself and all that can be reached along the arrows."""
    reached, open_ends = set(), [module]
    while open_ends:
        name = open_ends.pop()
        if name not in reached:
            reached.add(name)
            open_ends += ARROWS[name]
    return reached


def module_below_takt(parts):
    """The module of a path given relative to src/takt, or None if its folder is not in the plan."""
    if len(parts) == 1:
        return "umbrella"
    for length in (2, 1):
        name = "/".join(parts[:length])
        if len(parts) > length and name in ARROWS:
            return name
    return None


def module_of_file(path):
    """The module of a file given relative to the root; None for one that no rule covers."""
    parts = path.parts
    if parts[:2] == ("src", "takt"):
        return module_below_takt(parts[2:])
    if parts[:2] == ("compat", "rclcpp"):
        return "compat"
    return parts[0] if parts[0] in ("lab", "hello", "examples") else None


def module_of_include(text):
    """The module that an included path belongs to; None for a library's."""
    parts = pathlib.PurePosixPath(text).parts
    if parts[0] == "takt" and len(parts) > 1:
        return module_below_takt(parts[1:]) or "/".join(parts[1:-1])
    return "lab" if parts[0] == "lab" else None


def faults_of(root, path):
    """Yields (line, what) for each include of a file that is not allowed."""
    relative = path.relative_to(root)
    module = module_of_file(relative)
    if module is None:
        yield 1, f"this folder is not in the house plan (ARROWS of {pathlib.Path(__file__).name})"
        return
    allowed = allowed_from(module)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        text = match["path"]
        if text.startswith("../") or "/../" in text:
            yield number, f'"{text}" climbs out of its folder: include it by its path below src'
            continue
        target = module_of_include(text)
        if target is not None and target not in allowed:
            yield number, f"{module} must not include {target} ({text})"
        for prefix, modules in PRIVATE_LIBRARIES.items():
            if text.startswith(prefix) and module not in modules and relative.parts[:3] != RUNNERS:
                yield number, f"only {', '.join(modules)} may include {text}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]).resolve()
    files = []
    for folder in ("src/takt", "lab", "hello", "examples", "compat"):
        files += [p for p in sorted((root / folder).rglob("*")) if p.suffix in SUFFIXES and p.is_file()]
    found = 0
    for path in files:
        for number, what in faults_of(root, path):
            print(f"{path.relative_to(root)}:{number}: {what}")
            found += 1
    print(f"includes: {len(files)} files, {found} forbidden")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

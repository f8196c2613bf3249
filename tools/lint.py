#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on the project's sources, or checks with --canary that clang-tidy's check list bites.

    lint.py [--build DIR] [--jobs N] [--seconds S] [FILE ...]
    lint.py --canary

A file that was clean is not looked at again while its text, every project header, .clang-tidy and
clang-tidy's version stay the same (DIR/lint-cache.json). After S seconds no further file is started; those
left over are counted, named in the last line and done first the next time.
Exit: 0 clean, 1 findings, 3 clang-tidy or the compile commands are missing.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CANARY = ROOT / "tools" / "lint_canary"
FINDING = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):\d+: (?:warning|error): .*\[(?P<checks>[^\]]+)\]$", re.M)
EXPECTED = re.compile(r"// CANARY: (?P<check>\S+)")


def tidy(arguments):
    return subprocess.run(["clang-tidy", "--quiet", *arguments], capture_output=True, text=True, check=False,
                          cwd=ROOT)


def misspelt_checks():
    """The names and patterns of .clang-tidy that match no check of this clang-tidy."""
    text = (ROOT / ".clang-tidy").read_text()
    names = re.search(r"^Checks: >\n((?:  .*\n)+)", text, re.M)[1].replace(",", " ").split()
    known = subprocess.run(["clang-tidy", "--list-checks", "--checks=*"], capture_output=True, text=True, check=True)
    known = [line.strip() for line in known.stdout.splitlines()[1:]]
    return [name for name in names if not fnmatch.filter(known, name.lstrip("-"))]


def run_canary():
    """Compares what clang-tidy reports on the canary files with what their comments announce."""
    failed = False
    for name in misspelt_checks():
        print(f".clang-tidy: {name} matches no check")
        failed = True
    for path in sorted(CANARY.glob("*.cpp")):
        expected = set()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for match in EXPECTED.finditer(line):
                expected.add((number, match["check"]))
        result = tidy([str(path), "--", "-std=c++20"])
        found = set()
        for match in FINDING.finditer(result.stdout):
            for check in match["checks"].split(","):
                if check != "-warnings-as-errors":
                    found.add((int(match["line"]), check))
        # Every finding must be an error, or WarningsAsErrors has been lost.
        lost = [m[0] for m in FINDING.finditer(result.stdout) if "-warnings-as-errors" not in m["checks"]]
        for number, check in sorted(expected - found):
            print(f"{path.relative_to(ROOT)}:{number}: {check} did not report: is it in .clang-tidy, well spelt?")
        for number, check in sorted(found - expected):
            print(f"{path.relative_to(ROOT)}:{number}: {check} reported, which the file does not announce")
        for text in lost:
            print(f"not an error: {text}")
        failed = failed or expected != found or bool(lost) or not expected
    print("canary: " + ("the check list does not bite as announced" if failed else "every family reports"))
    return 1 if failed else 0


def digest_of_common():
    """What a verdict depends on besides the file itself."""
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=False).stdout
    digest = hashlib.sha256(version.encode() + (ROOT / ".clang-tidy").read_bytes())
    for folder in ("src", "lab", "hello", "examples", "interfaces"):
        for path in sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".hpp", ".h", ".msg", ".srv")):
            digest.update(path.read_bytes())
    return digest.digest()


def sources(build):
    entries = json.loads((build / "compile_commands.json").read_text())
    files = {pathlib.Path(entry["file"]).resolve() for entry in entries}
    return sorted(path for path in files if ROOT in path.parents and build not in path.parents)


def run(build, files, jobs, seconds):
    cache_file = build / "lint-cache.json"
    try:
        cache = set(json.loads(cache_file.read_text()))
    except (OSError, ValueError):
        cache = set()
    common = digest_of_common()
    keys = {path: hashlib.sha256(common + str(path).encode() + path.read_bytes()).hexdigest() for path in files}
    todo = [path for path in files if keys[path] not in cache]
    clean = {keys[path] for path in files if keys[path] in cache}
    deadline = time.monotonic() + seconds

    def check(path):
        if time.monotonic() > deadline:
            return path, None
        return path, tidy(["-p", str(build), "--extra-arg=-Wno-unknown-warning-option", str(path)])

    findings, left = 0, []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for path, result in pool.map(check, todo):
            if result is None:
                left.append(path)
            elif result.returncode == 0:
                clean.add(keys[path])
            else:
                findings += 1
                print(result.stdout.strip() or result.stderr.strip(), flush=True)
    temporary = cache_file.with_suffix(".new")
    temporary.write_text(json.dumps(sorted(clean)))
    os.replace(temporary, cache_file)
    print(f"lint: {len(todo) - len(left)} files looked at, {len(files) - len(todo)} known to be clean, "
          f"{findings} with findings, {len(left)} left over for want of time")
    return 1 if findings else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--canary", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "debug")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if not shutil.which("clang-tidy"):
        print("clang-tidy is missing: run tools/setup.sh test", file=sys.stderr)
        return 3
    if arguments.canary:
        return run_canary()
    build = arguments.build.resolve()
    if not (build / "compile_commands.json").exists():
        print(f"{build}/compile_commands.json is missing: run cmake --preset debug", file=sys.stderr)
        return 3
    files = [path.resolve() for path in arguments.files] or sources(build)
    return run(build, files, arguments.jobs, arguments.seconds)


if __name__ == "__main__":
    sys.exit(main())

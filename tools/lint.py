#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on the project's sources, or checks with --canary that clang-tidy's check list bites.

    lint.py [--build DIR] [--jobs N] [--seconds S] [FILE ...]
    lint.py --canary

Sources of one target are looked at in batches, joined to one text (DIR/lint): most of clang-tidy's time
goes into the standard library's and GoogleTest's headers, which a batch reads once. Joined and not
included, since some checks look at the main file only. Names of one target do not clash (they are compiled
in batches, too), and programs are put in namespaces; should a batch not compile, its files are looked at
each by itself.

What the last commit and the working tree changed is looked at first. A file that was clean is not looked
at again while its text, its flags, every project header, .clang-tidy and clang-tidy's version stay the same
(DIR/lint-cache.json). After S seconds no further batch is started; the files left over are counted in the
last line.
Exit: 0 clean, 1 findings, 3 clang-tidy or the compile commands are missing.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CANARY = ROOT / "tools" / "lint_canary"
BATCH = 20  # files at most; more save little time and make the last batch end late
FINDING = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):\d+: (?:warning|error): .*\[(?P<checks>[^\]]+)\]$", re.M)
PROGRAM = re.compile(r"^int main\(", re.M)
EXPECTED = re.compile(r"// CANARY: (?P<check>\S+)")


def tidy(source, flags):
    """What clang-tidy prints about one file."""
    command = ["clang-tidy", "--quiet", f"--config-file={ROOT / '.clang-tidy'}", str(source), "--", *flags,
               "-Wno-unknown-warning-option"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if result.returncode != 0 and not FINDING.search(result.stdout):
        return f"{source}:1:1: error: clang-tidy failed: {result.stderr.strip()} [clang-tidy]\n"
    return result.stdout


def apart(text, name):
    """A program's text with what follows its includes in a namespace, since there can be one main only."""
    if not PROGRAM.search(text):
        return text
    lines = text.split("\n")
    last = max((number for number, line in enumerate(lines) if line.startswith("#include")), default=-1) + 1
    lines[last] = f"namespace {name} {{ {lines[last]}"
    return "\n".join(lines).rstrip("\n") + f" }}  // namespace {name}\n"


def tidy_batch(paths, flags, folder):
    """What clang-tidy prints about some files that are compiled alike, looked at as one text."""
    texts = [path.read_text().rstrip("\n") + "\n" for path in paths]
    if len(paths) > 1:
        texts = [apart(text, f"program_{number}") for number, text in enumerate(texts)]
        flags = [*flags, "-Wno-return-type"]  # what was main
    origins = [(path, line) for path, text in zip(paths, texts) for line in range(1, text.count("\n") + 1)]
    name = hashlib.sha256(repr((paths, flags)).encode()).hexdigest()[:16]
    joined = folder / f"{name}.cpp"
    folder.mkdir(parents=True, exist_ok=True)
    joined.write_text("".join(texts))
    output = tidy(joined, flags)
    joined.unlink()
    if len(paths) > 1 and "[clang-diagnostic-error" in output:
        return "".join(tidy(path, flags) for path in paths)

    def origin(match):
        path, line = origins[int(match[1]) - 1]
        return f"{path}:{line}:"

    return re.sub(rf"^{re.escape(str(joined))}:(\d+):", origin, output, flags=re.M)


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
    paths = sorted(CANARY.glob("*.cpp"))
    expected = {(str(path), number, match["check"]) for path in paths
                for number, line in enumerate(path.read_text().splitlines(), 1) for match in EXPECTED.finditer(line)}
    with tempfile.TemporaryDirectory() as folder:
        output = tidy_batch(paths, ["-std=c++20"], pathlib.Path(folder))
    found = {(match["file"], int(match["line"]), check) for match in FINDING.finditer(output)
             for check in match["checks"].split(",") if check != "-warnings-as-errors"}
    # Every finding must be an error, or WarningsAsErrors has been lost.
    lost = [m[0] for m in FINDING.finditer(output) if "-warnings-as-errors" not in m["checks"]]
    for path, number, check in sorted(expected - found):
        print(f"{path}:{number}: {check} did not report: is it in .clang-tidy, well spelt?")
    for path, number, check in sorted(found - expected):
        print(f"{path}:{number}: {check} reported, which the file does not announce")
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
    """The project's sources: {path: (target, flags)}."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"]).resolve()
        if ROOT not in path.parents or build in path.parents:
            continue
        words = shlex.split(entry["command"])[1:]
        output = words.index("-o")
        found[path] = words[output + 1].rpartition(".dir/")[0], tuple(words[:output])
    return found


def changed_sources(paths):
    """Those that the last commit or the working tree changed, or that include a header which one changed."""
    def names(*arguments):
        result = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
        return set(result.stdout.splitlines()) if result.returncode == 0 else set()

    try:
        changed = names("diff", "--name-only", "HEAD~1") | names("ls-files", "--others", "--exclude-standard")
    except OSError:  # no git
        return set()
    headers = [f'#include "{name.removeprefix("src/")}"' for name in changed if name.endswith(".hpp")]
    return {path for path in paths if str(path.relative_to(ROOT)) in changed
            or any(header in path.read_text() for header in headers)}


def batches(files):
    """The files in the order given, in batches of one target (programs: of all) and the same flags."""
    groups = {}
    for path, (target, flags) in files.items():
        key = "programs" if PROGRAM.search(path.read_text()) else target
        groups.setdefault((key, flags), []).append(path)
    cut = []
    for (_, flags), paths in groups.items():
        size = math.ceil(len(paths) / math.ceil(len(paths) / BATCH))
        cut += [(flags, paths[start:start + size]) for start in range(0, len(paths), size)]
    place = {path: number for number, path in enumerate(files)}
    return sorted(cut, key=lambda batch: place[batch[1][0]])


def run(build, files, jobs, seconds):
    cache_file = build / "lint-cache.json"
    try:
        cache = set(json.loads(cache_file.read_text()))
    except (OSError, ValueError):
        cache = set()
    common = digest_of_common()
    keys = {path: hashlib.sha256(common + repr((str(path), how)).encode() + path.read_bytes()).hexdigest()
            for path, how in files.items()}
    clean = {path for path in files if keys[path] in cache}
    first = changed_sources(files)
    todo = {path: files[path] for path in sorted(files, key=lambda path: (path not in first, path))
            if path not in clean}
    deadline = time.monotonic() + seconds

    def save():
        temporary = cache_file.with_suffix(".new")
        temporary.write_text(json.dumps(sorted(keys[path] for path in clean)))
        os.replace(temporary, cache_file)

    def check(batch):
        flags, paths = batch
        return paths, tidy_batch(paths, flags, build / "lint") if time.monotonic() < deadline else None

    known, bad, left, shown = len(clean), set(), 0, set()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(check, batch) for batch in batches(todo)]):
            paths, output = done.result()
            if output is None:
                left += len(paths)
                continue
            found = {pathlib.Path(match["file"]) for match in FINDING.finditer(output)}
            bad |= found
            if found <= set(paths):  # a finding in a header is none of a certain source
                clean |= set(paths) - found
                save()
            if output.strip() and output not in shown:  # a header's findings come with every batch
                print(output.strip(), flush=True)
                shown.add(output)
    print(f"lint: {len(todo) - left} files looked at, {known} known to be clean, {len(bad)} with findings, "
          f"{left} left over for want of time")
    return 1 if bad else 0


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
    files = sources(build)
    if arguments.files:
        wanted = [path.resolve() for path in arguments.files]
        unknown = [str(path) for path in wanted if path not in files]
        if unknown:
            parser.error(f"no sources of {build}/compile_commands.json: {' '.join(unknown)}")
        files = {path: files[path] for path in wanted}
    return run(build, files, arguments.jobs, arguments.seconds)


if __name__ == "__main__":
    sys.exit(main())

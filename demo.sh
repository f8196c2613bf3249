#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./demo.sh [--quick] [--out DIR]
# Sets up, builds, and runs two experiments: the priority designs, and deadlines with injected stops of the
# wall clock. Prints their verdicts and comparison and where the report lies.
# Exit: 0 they ran, whatever they found; 2 usage; 3 could not set up, build or measure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

seconds=20
out=
while [ $# -gt 0 ]; do
  case "$1" in
    --quick) seconds=6 ;;
    --out) out=${2:?--out needs a folder}; shift ;;
    *) echo "usage: ./demo.sh [--quick] [--out DIR]" >&2; exit 2 ;;
  esac
  shift
done
out=${out:-reports/$(date +%Y-%m-%d_%H-%M-%S)}

missing=$(tools/setup.sh --dry-run build run) || exit 3
cores=$(nproc)
echo "This demo"
echo "  installs:  ${missing:-nothing, every package is there}"
echo "  builds:    build/ (a few minutes the first time)"
echo "  measures:  two experiments, about $((2 * seconds + 10)) s together; they load all $cores cores of this machine"
echo "  writes:    $out"
echo
tools/setup.sh build run || exit 3

configured=$(cmake --preset release 2>&1) || { echo "$configured" >&2; exit 3; }
cmake --build build --target takt || exit 3

mkdir -p "$out"
status=0
step() {
  echo
  echo "== $*"
  "$@" </dev/null || { status=$?; echo "ended with exit code $status" >&2; }
}
step build/bin/takt lab priority --design 3 --scheduling both --seconds "$seconds" --out "$out/priority"
step build/bin/takt lab deadlines --phase wall_injected --out "$out/deadlines"

echo
find "$out" -name report.html | sed 's/^/report: /'
exit "$status"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./demo.sh [--quick] [--out DIR]
# Sets up, builds, and runs two experiments: a control loop beside a simulated clock (does a real time factor of
# 1.0 say that deadlines are met?), and the priority designs. Ends with what they found and where the reports lie.
# Exit: 0 they ran, whatever they found; 2 usage; 3 could not set up, build or measure; 130 or 143 ended by a signal.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
usage: ./demo.sh [--quick] [--out DIR]
  --quick     the priority designs for a shorter time (the control loop keeps its 5 s a phase: the published
              figures beside it are of as many)
  --out DIR   where the reports go (default: reports/<date>_<time>)
TEXT
}
usage_error() { echo "demo.sh: $1" >&2; usage >&2; exit 2; }

seconds=20
out=
while [ $# -gt 0 ]; do
  case "$1" in
    -h|--help) usage; exit 0 ;;
    --quick) seconds=6 ;;
    --out) [ -n "${2:-}" ] || usage_error "--out needs a folder"; out=$2; shift ;;
    *) usage_error "unknown option '$1'" ;;
  esac
  shift
done
out=${out:-reports/$(date +%Y-%m-%d_%H-%M-%S)}

# Before the build, which takes minutes: can the reports be written?
if ! why=$({ mkdir -p -- "$out" && : >"$out/.takt-probe" && rm -f -- "$out/.takt-probe"; } 2>&1); then
  echo "demo.sh: cannot write to $out: $why; name another folder with --out DIR" >&2
  exit 3
fi

# What is said when a signal ends the demo; the command that runs gets the signal too, and ends by itself.
ended_by=
trap 'ended_by=130' INT
trap 'ended_by=143' TERM
end_if_asked() {
  [ -n "$ended_by" ] || return 0
  echo
  echo "The demo was ended early. Written to $out:"
  find "$out" -type f | sort | sed 's/^/  /'
  exit "$ended_by"
}

missing=$(tools/setup.sh --dry-run build run) || exit 3
cores=$(nproc)
echo "This demo"
echo "  installs:  ${missing:-nothing, every package is there}"
echo "  builds:    build/ (a few minutes the first time)"
echo "  measures:  two experiments, about $((2 * seconds + 38)) s together; one loads all $cores cores of this machine"
echo "  writes:    $out"
echo
tools/setup.sh build run || { end_if_asked; exit 3; }
end_if_asked

configured=$(cmake --preset release 2>&1) || { end_if_asked; echo "$configured" >&2; exit 3; }
cmake --build build --target takt || { end_if_asked; exit 3; }
end_if_asked

status=0
# In the background, so that a signal to this script alone reaches the experiment as well.
step() {
  echo
  echo "== $*"
  "$@" </dev/null &
  local child=$! code=0
  wait "$child" || code=$?
  if [ -n "$ended_by" ]; then  # the wait was interrupted: the experiment writes what it has
    kill -TERM "$child" 2>/dev/null || true
    wait "$child" || kill -TERM "$child" 2>/dev/null || true  # asked twice: at once
    end_if_asked
  fi
  [ "$code" -eq 0 ] || { status=$code; echo "ended with exit code $status" >&2; }
}
step build/bin/takt lab deadlines --out "$out/deadlines"
step build/bin/takt lab priority --design 3 --scheduling both --seconds "$seconds" --out "$out/priority"

# A text of an experiment's results.json, a line for each part of it.
said() {
  [ -f "$out/$1/results.json" ] || return 0
  sed -n "s/^  \"$2\": \"\(.*\)\",\{0,1\}\$/\1/p" "$out/$1/results.json" | sed 's/\\"/"/g; s/; \(wall_\|sim_\)/\n\1/g'
}
echo
said deadlines sentence
said deadlines verdict
find "$out" -name report.html | sort | sed 's/^/report: /'
exit "$status"

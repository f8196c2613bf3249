#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./test.sh [--quick|--long]
# Sets up, checks and tests everything: format, include arrows, lint, headers, then the tests in a release
# build, under the address and undefined behaviour sanitizers, and the concurrent ones under the thread
# sanitizer. --quick: the release build's tests and the cheap checks. --long: the longest tests too
# (TAKT_TEST_LONG=1). Prints a line per step; the last line is "N passed, N failed", counted in tests (a
# check counts as one). Exit: 0 nothing failed, 1 something did, 2 usage, 3 could not set up.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

mode=full
case "${1:-}" in
  '') ;;
  --quick) mode=quick ;;
  --long) mode=long; export TAKT_TEST_LONG=1 ;;
  *) echo "usage: ./test.sh [--quick|--long]" >&2; exit 2 ;;
esac

jobs=$(nproc)
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$jobs} CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}
export GTEST_COLOR=no ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_init_order=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1} TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# finish NAME STARTED PASSED FAILED: the step's line, and its output when something failed
finish() {
  local seconds=$((SECONDS - $2))
  passed=$((passed + $3))
  failed=$((failed + $4))
  if [ "$4" -eq 0 ]; then
    printf '%-34s ok      %4d s%s\n' "$1" "$seconds" "${5:-}"
  else
    printf '%-34s FAILED  %4d s%s\n' "$1" "$seconds" "${5:-}"
    sed 's/^/    /' "$log"
  fi
}

# check NAME COMMAND...: a step that passes or fails as a whole
check() {
  local name=$1 started=$SECONDS
  shift
  if "$@" >"$log" 2>&1 </dev/null; then
    finish "$name" "$started" 1 0
  else
    finish "$name" "$started" 0 1
    return 1
  fi
}

# failures FILE: how many tests failed according to ctest's summary; empty without one
failures() { sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of .*/\1/p' "$1" | tail -1; }

# tests NAME PRESET [WRAPPER...]: runs a preset's tests and counts each. What failed is run once more, alone, since a busy
# machine can upset a test of real time; who passes only then is named.
tests() {
  local started=$SECONDS status=0 total bad again note=
  "${@:3}" ctest --preset "$2" --no-tests=error >"$log" 2>&1 </dev/null || status=$?
  total=$(sed -nE 's/^[0-9]+% tests passed, .* out of ([0-9]+).*/\1/p' "$log" | tail -1)
  bad=$(failures "$log")
  if [ -z "$bad" ] || { [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; }; then
    finish "$1" "$started" 0 1
    return
  fi
  if [ "$bad" -gt 0 ]; then
    "${@:3}" ctest --preset "$2" --rerun-failed -j 1 >"$log.again" 2>&1 </dev/null || true
    again=$(failures "$log.again")
    if [ -n "$again" ] && [ "$again" -lt "$bad" ]; then
      note="; only at the second try: $(grep -aE '^\s+[0-9]+ - .*\(.*\)' "$log" | grep -v Skipped |
        sed -E 's/^\s+[0-9]+ - (\S+).*/\1/' | grep -vxFf <(sed -nE 's/^\s+[0-9]+ - (\S+) \(.*/\1/p' "$log.again") | tr '\n' ' ')"
      bad=$again
      mv "$log.again" "$log"
    fi
    rm -f "$log.again"
  fi
  finish "$1" "$started" $((total - bad)) "$bad" "  $((total - bad)) of $total$note"
}

# gtest_names WORD FILE...: the tests that gtest reports with this word, each once
gtest_names() { sed -nE "s/^\\[ *$1 *\\] ([A-Za-z0-9_.\/]+).*\\([0-9]+ ms\\)\$/\\1/p" "${@:2}" | sort -u; }

# shards NAME PRESET: as tests, where a program runs many of its tests in one process: counts what gtest reports.
shards() {
  local started=$SECONDS status=0 bad=0 first second wrong note= all=build/$2/Testing/Temporary/LastTest.log
  first=$(mktemp) second=$(mktemp)
  ctest --preset "$2" --no-tests=error >"$log" 2>&1 </dev/null || status=$?
  cp "$all" "$first" 2>/dev/null || true
  if [ "$status" -ne 0 ]; then
    status=0
    ctest --preset "$2" --rerun-failed -j 1 >"$log" 2>&1 </dev/null || status=$?
    cp "$all" "$second" 2>/dev/null || true
    wrong=$(gtest_names FAILED "$second")
    bad=$(grep -c . <<<"$wrong")
    [ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=$(failures "$log")
    note="; only at the second try: $(gtest_names FAILED "$first" | grep -vxFf <(echo "$wrong") | tr '\n' ' ')"
  fi
  local passed_names
  passed_names=$(comm -23 <(gtest_names OK "$first" "$second") <(gtest_names FAILED "$second") | wc -l)
  rm -f "$first" "$second"
  [ "$passed_names" -gt 0 ] || [ "${bad:-1}" -gt 0 ] || bad=1
  finish "$1" "$started" "$passed_names" "${bad:-1}" "  $passed_names of $((passed_names + ${bad:-1}))$note"
}

# Names the files that clang-format would change, and says what it says when it fails.
format() {
  local folders files said wrong status=0
  folders=$(ls -d src lab hello examples compat tests 2>/dev/null)
  mapfile -t files < <(find $folders -name '*.cpp' -o -name '*.hpp' | sort)
  said=$(printf '%s\0' "${files[@]}" | xargs -0 -P "$jobs" -n 20 clang-format --dry-run 2>&1 >/dev/null) || status=$?
  mapfile -t wrong < <(sed -nE 's/^([^ :]+):[0-9]+:[0-9]+: (warning|error): .*/\1/p' <<<"$said" | sort -u)
  [ ${#wrong[@]} -eq 0 ] || echo "not formatted; mend with: clang-format -i ${wrong[*]}"
  [ "$status" -eq 0 ] || echo "clang-format failed: $said"
  [ "$status" -eq 0 ] && [ ${#wrong[@]} -eq 0 ]
}

build() { cmake --preset "$1" && cmake --build --preset "$1" "${@:2}"; }

started=$SECONDS
tools/setup.sh || exit 3
printf '%-34s ok      %4d s\n' "set-up" $((SECONDS - started))

check "format" format
check "include arrows" tools/check_includes.py
if check "build: release" build release; then
  tests "tests: release" release
fi
if [ "$mode" != quick ]; then
  check "headers compile alone" cmake --build build --target header_check -- -k 0
  check "lint: canary" tools/lint.py --canary
  # What the last change touched comes first; in a bounded time, what is left over is counted. --long: everything.
  lint_seconds=${TAKT_LINT_SECONDS:-60}
  [ "$mode" = long ] && lint_seconds=1e9
  lint() { cmake --preset debug && tools/lint.py --build build/debug --jobs "$jobs" --seconds "$lint_seconds"; }
  check "lint" lint
  tail -1 "$log" | sed 's/^/    /'
  if check "build: asan" build asan; then
    shards "tests: asan" asan
  fi
  if check "build: tsan" build tsan; then
    # GCC 12's thread sanitizer does not start under the strong address randomisation of newer kernels.
    wrapper=()
    if setarch "$(uname -m)" -R true 2>/dev/null; then
      wrapper=(setarch "$(uname -m)" -R)
    fi
    tests "tests: tsan, concurrent" tsan "${wrapper[@]}"
  fi
fi

echo "total $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

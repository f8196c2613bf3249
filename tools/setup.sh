#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/setup.sh [--dry-run] [GROUP...]     groups of tools/packages.txt; all when none is given
# Installs what is missing for the given groups and does nothing when nothing is. Says before what it installs.
# Exit: 0 everything is there, 2 usage, 3 it could not be installed (what to do is on stderr).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

dry_run=false
groups=()
for argument in "$@"; do
  case "$argument" in
    --dry-run) dry_run=true ;;
    build|run|test) groups+=("$argument") ;;
    *) echo "usage: tools/setup.sh [--dry-run] [build] [run] [test]" >&2; exit 2 ;;
  esac
done
[ ${#groups[@]} -gt 0 ] || groups=(build run test)

wanted=()
while read -r group package _; do
  case "$group" in ''|'#'*) continue ;; esac
  for one in "${groups[@]}"; do
    [ "$group" = "$one" ] && wanted+=("$package")
  done
done < packages.txt

# A system without dpkg: say which tools are lacking, as far as that can be seen from outside.
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  name=$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-this system}" || echo "this system")
  lacking=()
  for tool in g++ cmake ninja ccache git python3 stress-ng cyclictest clang-format clang-tidy; do
    command -v "$tool" >/dev/null || lacking+=("$tool")
  done
  {
    echo "takt's set-up is made for Debian 12 (bookworm) or newer and its relatives; $name has no apt."
    echo "Tools that are lacking here: ${lacking[*]:-none}. The whole list of packages, by Debian's names:"
    printf '  %s\n' "${wanted[*]}"
  } >&2
  exit 3
fi

installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
  sed -n 's/^installed //p' || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "takt needs ${#missing[@]} Debian packages that are not installed: ${missing[*]}"
if $dry_run; then
  exit 0
fi

run_as_root=()
if [ "$(id -u)" -ne 0 ]; then
  fix="Install them yourself, then run this again:  sudo apt-get install --no-install-recommends ${missing[*]}"
  if ! command -v sudo >/dev/null; then
    { echo "You are not root and there is no sudo."; echo "$fix"; } >&2
    exit 3
  elif sudo -n true 2>/dev/null; then
    run_as_root=(sudo -n)
  elif [ -t 0 ]; then
    echo "They are installed with apt-get; sudo may ask for your password."
    run_as_root=(sudo)
  else
    { echo "sudo would ask for a password, and there is no terminal to ask on."; echo "$fix"; } >&2
    exit 3
  fi
fi

apt_get=("${run_as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120)
known() { # whether apt has a version to install of every missing package
  local package policy
  for package in "${missing[@]}"; do
    # Not a pipe into `grep -q`: it leaves at its match, and pipefail then reports apt-cache's broken pipe.
    policy=$(apt-cache policy "$package" 2>/dev/null) || true
    grep -q 'Candidate: [^(]' <<<"$policy" || { unknown=$package; return 1; }
  done
}
too_old() {
  name=$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-this system}" || echo "this system")
  {
    echo "The packages could not be installed on $name${unknown:+: it does not have $unknown}."
    echo "takt's set-up is made for Debian 12 (bookworm) or newer. Lacking: ${missing[*]}"
  } >&2
  exit 3
}
unknown=
if ! known; then
  echo "Reading the package lists (apt-get update)"
  "${apt_get[@]}" update </dev/null || true
  known || too_old
fi
if ! "${apt_get[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null; then
  # The lists may be older than the archive.
  "${apt_get[@]}" update </dev/null || true
  unknown=
  "${apt_get[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null || too_old
fi

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# talk_and_listen.sh TALKER LISTENER: the two as processes of their own, in a folder that nobody else has. Ends with 0
# when the listener has heard 20 messages and both have ended normally.
TAKT_SHM_DIR=$(mktemp -d /dev/shm/takt-example-XXXXXX) || exit 1
export TAKT_SHM_DIR
# --foreground: a signal is passed on once. A second one would end the talker at once.
timeout --foreground 50 "$1" &
talker=$!
trap 'kill "$talker" 2>/dev/null; rm -rf "$TAKT_SHM_DIR"' EXIT
timeout --foreground 50 "$2" 20 || exit 1
kill -TERM "$talker"
wait "$talker"

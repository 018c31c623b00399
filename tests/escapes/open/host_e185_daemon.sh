#!/bin/bash
# SPDX-License-Identifier: MIT
# E185 (runs OUTSIDE): a double-forked daemon must not survive the end of the session.
: "${PF_WRAP:?}"; h=$(cd "$(dirname "$0")/.." && pwd); export MARK=$WORKSPACE/e185.mark OUTLIVE_S=3; rm -f "$MARK"
$PF_WRAP /usr/bin/env MARK="$MARK" OUTLIVE_S=3 "$h/build/open/aux_daemonize" >/dev/null 2>&1; sleep 5
[ -e "$MARK" ] && { rm -f "$MARK"; echo "ESCAPED a daemon outlived the session"; exit 1; }
echo "BLOCKED no survivor"; exit 0

#!/bin/bash
# SPDX-License-Identifier: MIT
# E185 (runs OUTSIDE): a double-forked daemon must not survive the end of the session.
: "${PF_WRAP:?}"
export MARK=$WORKSPACE/e185.mark OUTLIVE_S=3
rm -f "$MARK"
$PF_WRAP /usr/bin/env MARK="$MARK" OUTLIVE_S=3 "$ESC_BUILD/aux_daemonize" >/dev/null 2>&1
sleep 4
if [ -e "$MARK" ]; then
	rm -f "$MARK"
	echo "ESCAPED a daemon outlived the session"
	exit 1
fi
echo "BLOCKED no survivor"

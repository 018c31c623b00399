#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs OUTSIDE: a process that forks all the time, so that no list of pids holds it must not survive the end of the session.
: "${PF_WRAP:?}"
mark=$WORKSPACE/life-forking.mark
rm -f "$mark"
$PF_WRAP /usr/bin/env MARK="$mark" OUTLIVE_S=1 "$ESC_BUILD/aux_hide" forking >/dev/null 2>&1
for _ in $(seq 40); do
	[ -e "$mark" ] && break
	sleep 0.1
done
if [ -e "$mark" ]; then
	rm -f "$mark"
	echo "ESCAPED it outlived the session"
	exit 1
fi
echo "BLOCKED no survivor"

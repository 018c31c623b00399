#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs OUTSIDE: kill(0) reaches the caller's process group, whose other members are the launcher's.
: "${PF_WRAP:?}"
setsid bash -c '
	setpriv --reuid="$SESSION_UID" --regid="$SESSION_UID" --clear-groups sleep 5 &
	victim=$!
	trap "" TERM
	$PF_WRAP /bin/bash -c "kill -TERM 0; sleep 0.1" >/dev/null 2>&1
	if kill -0 "$victim" 2>/dev/null && ! grep -q "State:.Z" "/proc/$victim/status"; then
		kill "$victim"
		exit 0
	fi
	exit 1' 2>/dev/null
if [ $? -ne 0 ]; then
	echo "ESCAPED a process of the launcher's group is dead"
	exit 1
fi
echo "BLOCKED the launcher's group lives"

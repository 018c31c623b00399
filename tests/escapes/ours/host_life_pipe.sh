#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs OUTSIDE: a process left behind that keeps the output open would hold up whoever reads it to its end.
: "${PF_WRAP:?}"
start=$(date +%s%N)
$PF_WRAP /bin/bash -c 'setsid sleep 4 & echo done' 2>/dev/null | cat >/dev/null
took=$((($(date +%s%N) - start) / 1000000))
if [ "$took" -gt 3000 ]; then
	echo "ESCAPED the reader waited $took ms"
	exit 1
fi
echo "BLOCKED the output was closed at the end"

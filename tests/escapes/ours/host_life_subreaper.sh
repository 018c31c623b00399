#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs OUTSIDE: a reaper of its own keeps orphans from the first process; they must end as well.
: "${PF_WRAP:?}"
mark=$WORKSPACE/life-subreaper.mark
rm -f "$mark"
$PF_WRAP /usr/bin/python3 -c '
import ctypes, os, sys, time
if os.fork() == 0:
    os.setsid()
    ctypes.CDLL(None).prctl(36, 1)
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(1)
            open(sys.argv[1], "w").close()
        os._exit(0)
    time.sleep(2)
    os._exit(0)
time.sleep(0.2)
' "$mark" >/dev/null 2>&1
for _ in $(seq 30); do
	[ -e "$mark" ] && break
	sleep 0.1
done
if [ -e "$mark" ]; then
	rm -f "$mark"
	echo "ESCAPED it outlived the session"
	exit 1
fi
echo "BLOCKED no survivor"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs OUTSIDE: System V objects and shared memory made inside must not be seen outside, nor outlive the session.
: "${PF_WRAP:?}"
$PF_WRAP /usr/bin/python3 -c '
import ctypes
c = ctypes.CDLL(None)
c.shmget(0x50460077, 4096, 0o1666)
c.msgget(0x50460078, 0o1666)
open("/dev/shm/pf-leftover", "w").close()
' >/dev/null 2>&1
left=''
grep -qw "$((0x50460077))" /proc/sysvipc/shm && left="$left shm" && ipcrm -M 0x50460077
grep -qw "$((0x50460078))" /proc/sysvipc/msg && left="$left msg" && ipcrm -Q 0x50460078
[ -e /dev/shm/pf-leftover ] && left="$left /dev/shm" && rm -f /dev/shm/pf-leftover
if [ -n "$left" ]; then
	echo "ESCAPED outside there is:$left"
	exit 1
fi
echo "BLOCKED nothing is left"

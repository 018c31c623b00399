#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs OUTSIDE: a datagram from outside the session to the host's network address must not reach a socket in it.
: "${PF_WRAP:?}"
mark=$WORKSPACE/udp-inbound.mark
rm -f "$mark" "$mark.up"
$PF_WRAP /usr/bin/python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 47997))
open(sys.argv[1] + ".up", "w").close()
s.settimeout(3)
s.recv(9)
open(sys.argv[1], "w").close()
' "$mark" >/dev/null 2>&1 &
pen=$!
for _ in $(seq 100); do
	[ -e "$mark.up" ] && break
	sleep 0.05
done
if [ ! -e "$mark.up" ]; then
	wait "$pen"
	echo "BLOCKED it could not listen"
	exit 0
fi
for _ in 1 2 3 4; do
	python3 -c 'import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("203.0.113.1", 47997))' 2>/dev/null
	sleep 0.1
done
wait "$pen"
if [ -e "$mark" ]; then
	echo "ESCAPED a datagram from outside came in"
	exit 1
fi
echo "BLOCKED nothing came in"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs OUTSIDE: listen() without bind() takes a port by itself and no bind hook runs; nobody outside may connect.
: "${PF_WRAP:?}"
mark=$WORKSPACE/autobind.mark
rm -f "$mark"
$PF_WRAP /usr/bin/python3 -c '
import os, socket, sys
s = socket.socket()
s.listen(1)
open(sys.argv[1] + ".new", "w").write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
s.settimeout(3)
s.accept()[0].sendall(b"in")
' "$mark" >/dev/null 2>&1 &
pen=$!
for _ in $(seq 100); do
	[ -e "$mark" ] && break
	sleep 0.05
done
[ -e "$mark" ] || { wait "$pen"; echo "BLOCKED it could not listen"; exit 0; }
if python3 -c 'import socket, sys
for ip in ("203.0.113.1", "127.0.0.1"):
    try:
        s = socket.create_connection((ip, int(open(sys.argv[1]).read())), 1)
        s.settimeout(1)
        if s.recv(2) == b"in":
            sys.exit(0)
    except OSError:
        pass
sys.exit(1)' "$mark"; then
	wait "$pen"
	echo "ESCAPED a connection from outside came in"
	exit 1
fi
wait "$pen"
echo "BLOCKED nobody got in"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Reloads of a session whose connections go through the relay.
. "$(dirname "$0")/lib.sh"
lab --tls
need python3 openssl
mount -t tmpfs none /run # only our session is there

net() { # RULES [more network members]
	policy '{"version": 1, "workspace": "'"$WS"'", "network": {"allowOutbound": '"$1${2:+, $2}"'}}'
}
a='{"host": "shared-a.test:443", "verify": "sni"}' b='{"host": "shared-b.test:443", "verify": "sni"}'
cat >"$WS/hold" <<'P'
"""Shakes hands, and says how long that connection then lived."""
import socket, ssl, sys
context = ssl._create_unverified_context()
for name in sys.argv[1:]:
    try:
        s = context.wrap_socket(socket.create_connection((name, 443), 5), server_hostname=name)
        open(name + ".up", "w").close()
        s.settimeout(8)
        try:
            s.recv(1)
            open(name + ".end", "w").write("closed")
        except TimeoutError:
            open(name + ".end", "w").write("lived")
        except OSError as e:
            open(name + ".end", "w").write("closed")
    except OSError as e:
        open(name + ".end", "w").write("refused")
P
chown $TENANT "$WS/hold"
up() { id=$("$PINFOLD" ps --json | sed -n 's/.*"session":"\([0-9a-f]*\)".*/\1/p') && [ -n "$id" ]; }
start() { # POLICY NAME...
	rm -f "$WS"/*.up "$WS"/*.end
	start_pen -p "$1" -- python3 ./hold "${@:2}"
	until_true 10 test -e "$WS/$2.up"
	until_true 10 up
}
stop() { "$PINFOLD" kill "$id" 2>/dev/null; wait "$pen_pid" 2>/dev/null; }

start "$(net "[$a, $b]")" shared-a.test
check 'a reload with "cut" that takes a verified name back' "$PINFOLD" reload "$id" "$(net "[$b]" '"onRevoke": "cut"')"
check 'ends the connection that was let through by it' until_true 1 grep -q closed "$WS/shared-a.test.end"
stop
check 'which is no incident' bash -c "! grep -q degraded '$LOG'"
start "$(net "[$a, $b]")" shared-a.test
check 'a reload with "keep"' "$PINFOLD" reload "$id" "$(net "[$b]")"
sleep 1.2
check 'leaves it' test ! -e "$WS/shared-a.test.end"
stop
start "$(net "[$a]")" shared-a.test
check 'a reload with "cut" that changes no destination' "$PINFOLD" reload "$id" "$(net "[$a]" '"onRevoke": "cut", "denyErrno": "EACCES"')"
sleep 1.2
check 'leaves it too' test ! -e "$WS/shared-a.test.end"
stop
start "$(net '["shared-a.test:443"]')" shared-a.test
expect 'the first entry that verifies needs a new session' 'verify" needs a new session' \
	"$PINFOLD" reload "$id" "$(net "[$a]")"
stop

finish

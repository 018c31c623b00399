#!/bin/bash
# SPDX-License-Identifier: MIT
# top: the sessions with their counters, those that lean on their fences most first.
. "$(dirname "$0")/lib.sh"
lab
need python3
# A /run of our own: only our sessions are in it.
mount -t tmpfs none /run

head='^SESSION +AGENT +AGE NET-DENY DNS-DENY FS-DENY +ALLOWED VOUCHED +LOST +COMMAND$'
expect 'with no session there is a head alone' "$head" "$PINFOLD" top
check '... and nothing else' test "$("$PINFOLD" top | wc -l)" -eq 1
expect '... and an empty array' '^\[\]$' "$PINFOLD" top --json
status 'a word is a usage error' 64 "$PINFOLD" top abc
status 'so is an interval of nothing' 64 "$PINFOLD" top -i 0
expect 'which says what it takes' 'takes seconds, from 1 to 3600' "$PINFOLD" top -i soon

cat >"$WS/lean" <<'S'
for i in $1; do python3 ./probe tcp 198.51.100.20 $i >/dev/null; done
python3 ./probe lookup api.test >/dev/null
python3 ./probe lookup other.test >/dev/null
touch "up-$2"
exec sleep 300
S
chown $TENANT "$WS/lean"
p=$(policy '{"version": 1, "workspace": "'"$WS"'", "network": {"allowOutbound": ["api.test:443"]}}')
start_pen -p "$p" --agent quiet -- sh ./lean '' a
start_pen -p "$p" --agent busy -- sh ./lean '1 2 3' b
until_true 30 test -e "$WS/up-a"
until_true 30 test -e "$WS/up-b"
counted() { "$PINFOLD" top | grep -qE '^[0-9a-f]{16} busy +[0-9]+s +[0-9]+ +[12] +0 +[0-9]+ +1 +0  sh ./lean 1 2 3 b$'; }
check 'a line has name, agent, age, counters and command' until_true 20 counted
expect 'who is refused most stands first' '^busy quiet $' \
	bash -c "'$PINFOLD' top --once | awk 'NR > 1 { printf \"%s \", \$2 }'"
check 'as JSON it is one array, without the policies' bash -c "'$PINFOLD' top --json | python3 -c '
import json, sys
[first, second] = json.load(sys.stdin)
assert first[\"agent\"] == \"busy\" and second[\"agent\"] == \"quiet\"
assert first[\"denied\"][\"net\"] == second[\"denied\"][\"net\"] + 3 and first[\"lost\"] == 0
assert first[\"vouched\"][0][\"name\"] == \"api.test\" and \"policy\" not in first'"

cat >"$T/watch.py" <<'P'
import fcntl, os, pty, select, signal, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 3, 60, 0, 0))
    os.execv(sys.argv[1], [sys.argv[1], "top", "-i", "1"])
seen, end = b"", time.monotonic() + 30
while seen.count(b"\x1b[H") < 4 and time.monotonic() < end:
    if select.select([fd], [], [], 0.5)[0]:
        seen += os.read(fd, 4096)
os.kill(pid, signal.SIGINT)
print("ended by", os.WTERMSIG(os.waitpid(pid, 0)[1]))
rounds = seen.split(b"\x1b[H")[1:3]
lines = rounds[0].replace(b"\x1b[K", b"").replace(b"\x1b[J", b"").split(b"\r\n")
print("rounds", len(rounds), "lines", len([l for l in lines if l]), "widest", max(map(len, lines)))
print(lines[0].decode())
P
expect 'on a terminal it looks again and again, as wide and as high as that is' '^rounds 2 lines 2 widest 60$' python3 "$T/watch.py" "$PINFOLD"
expect 'with a head that counts' '^2 sessions' python3 "$T/watch.py" "$PINFOLD"
expect 'and Ctrl-C ends it' '^ended by 2$' python3 "$T/watch.py" "$PINFOLD"
status 'it is for root' 125 setpriv --reuid=$TENANT --regid=$TENANT --clear-groups "$PINFOLD" top
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# Life and death: nothing outlives its session, and a killed supervisor leaves neither an unfenced
# process nor anything on the host.
. "$(dirname "$0")/lib.sh"
lab
rounds=${ROUNDS:-24}

cgroups() { find /sys/fs/cgroup -type d -name '*pinfold*' 2>/dev/null | sort; }
mounts() { awk '{ print $5 }' /proc/self/mountinfo | grep -v "$T" | sort; }
pins() { find /sys/fs/bpf -name '*pinfold*' 2>/dev/null | sort; }
sessions() { find /run/pinfold -mindepth 1 2>/dev/null | sort; }
traces() { cgroups; mounts; pins; sessions; }
mark="pinfold-life-$$" # in the argv of whatever runs inside
inside() { pgrep -f "$mark" | grep -vx $$; }
gone() { [ -z "$(inside)" ]; }
left() { comm -13 <(echo "$before") <(traces | sort); } # what is there now and was not before
clean() { [ -z "$(left)" ]; }
before=$(traces | sort)

# --- the ordinary end ------------------------------------------------------------------------------
check 'a run ends' pen -- true
check 'it leaves nothing on the host' until_true 5 clean
check 'a session whose command left daemons ends with its command' timeout 10 bash -c "cd '$WS' && '$PINFOLD' run -- sh -c '
	setsid sh -c \"sleep 600; : $mark\" </dev/null >/dev/null 2>&1 &
	nohup sleep 601 $mark >/dev/null 2>&1 &
	python3 -c \"import os, time
if os.fork() == 0:
	os.setsid()
	if os.fork() == 0: time.sleep(600) # $mark\"
	exit 0'"
check 'the daemons are gone with it' until_true 5 gone
check 'and nothing of them is left on the host' until_true 5 clean
expect 'a timeout ends the session' '^(137|143)$' bash -c "cd '$WS' && timeout 20 '$PINFOLD' run --quiet \
	-p '$(policy '{"version": 1, "limits": {"timeout": "1s"}}')' -- sh -c 'sleep 60; : $mark'; echo \$?"
start_pen -- python3 -c "import os, signal, time # $mark
for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)
if os.fork() == 0:
	os.setsid()
	if os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)
open('up', 'w')
time.sleep(600)"
until_true 30 test -e "$WS/up"
kill -TERM "$pen_pid"
check 'SIGTERM ends everything, also what ignores it, is stopped or left the session' until_true 20 gone
wait "$pen_pid" 2>/dev/null
check 'and nothing of it is left on the host' until_true 20 clean
# The policy has no limit of disk space; these hold whatever runs in a pen.
expect 'a workspace of limited size is a limit' '^No space left on device$' unshare -m bash -c "
	mount -t tmpfs -o size=4m,uid=$TENANT,mode=755 none '$WS' && cd '$WS' && '$PINFOLD' run --quiet -- sh -c '
	head -c 8M /dev/zero 2>&1 >full | grep -o No.space.left.on.device'"
expect 'so is one of each file by prlimit, for all that it starts, and it cannot be raised' '^File too large 1$' bash -c "
	cd '$WS' && '$PINFOLD' run --quiet -- prlimit --fsize=1000000 sh -c '
	prlimit --fsize=unlimited --pid \$\$ 2>/dev/null
	python3 -c \"import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try: f = open(\\\"big\\\", \\\"wb\\\"); [f.write(bytes(1 << 20)) for i in range(8)]; f.flush()
except OSError as e: print(e.strerror, end=chr(32))\"; stat -c %s big | sed s/1000000/1/; rm -f big'"
check 'a failed start leaves nothing either' bash -c "cd '$WS' && ! '$PINFOLD' run -- /no/such/command 2>/dev/null"
check 'and the host is clean' until_true 5 clean

# --- kill -9 ---------------------------------------------------------------------------------------
# The command tries to get out all the time; any success is written down by the lab's server.
cat >"$WS/lean" <<'P'
import os, socket, sys
if os.fork() == 0:
    os.setsid()
while True:
    for host in ("198.51.100.20", "169.254.169.254"):
        try:
            socket.create_connection((host, 443), 1).close()
            os.write(2, b"ESCAPED\n")
        except OSError:
            pass
P
: >"$LAB_DIR/hits.log"
survivors='' late=''
for i in $(seq "$rounds"); do
	start_pen -- python3 ./lean "$mark" 2>>"$T/lean.err"
	# From "not yet cloned" to "running for a while", spread evenly with some chance in it.
	sleep "$(awk -v i="$i" -v r=$RANDOM 'BEGIN { print (i % 8) * 0.008 + r / 32768 * 0.02 + (i > 16) * 0.2 }')"
	kill -KILL "$pen_pid" 2>/dev/null
	wait "$pen_pid" 2>/dev/null
	until_true 5 gone || survivors="$survivors round $i: $(inside | tr '\n' ' ')"
	until_true 5 clean || late="$late round $i: $(left | tr '\n' ' ')"
done
check "after $rounds kills of the supervisor no process of a session was left" test -z "$survivors"
[ -z "$survivors" ] || echo "#$survivors"
check 'within 5 s of each nothing was left on the host' test -z "$late"
[ -z "$late" ] || echo "#$late"
absent 'and none of them got out' . "$LAB_DIR/hits.log"
expect 'bare, the same program does get out' '443' bash -c "
	unshare --pid --fork --kill-child timeout 1 setpriv --reuid=$TENANT --regid=$TENANT \
		--clear-groups python3 '$WS/lean' >/dev/null 2>&1
	cat '$LAB_DIR/hits.log'"
check 'the next session starts as ever' pen -- true

# --- the DNS worker ----------------------------------------------------------------------------------
worker_of() { pgrep -P "$1" -f pinfold | head -n 5; }
start_pen --allow api.test:443 -- sh -c "getent hosts api.test; echo up > up
	i=0; while [ ! -e killed ] && [ \$i -lt 100 ]; do sleep 0.1; i=\$((i+1)); done
	{ python3 ./probe tcp 198.51.100.10 443; python3 ./probe tcp 198.51.100.20 443
	timeout 4 python3 ./probe lookup other.test; } > after 2>&1; : $mark"
until_true 10 test -e "$WS/up"
for pid in $(worker_of "$pen_pid"); do
	grep -q '^Seccomp:[[:space:]]*2' "/proc/$pid/status" && [ "$(stat -c %u "/proc/$pid")" != "$TENANT" ] &&
		kill -KILL "$pid"
done
touch "$WS/killed"
wait "$pen_pid" 2>/dev/null
if [ -s "$WS/after" ]; then
	expect 'with its resolver killed, a vouched address still answers' '^ok ok 198.51.100.10$' sed -n 1p "$WS/after"
	expect 'with its resolver killed, another is still refused' '^denied EPERM$' sed -n 2p "$WS/after"
	expect 'with its resolver killed, a lookup still fails' '^(denied|slow) ' sed -n 3p "$WS/after"
else
	check 'with its resolver killed, the session ends' test ! -s "$WS/after"
	check 'and nothing of it is left' until_true 5 gone
fi
check 'the host is clean' until_true 5 clean

finish

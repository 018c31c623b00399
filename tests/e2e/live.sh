#!/bin/bash
# SPDX-License-Identifier: MIT
# Live control: what a running session can be asked, and what a reload opens, shuts and cuts.
. "$(dirname "$0")/lib.sh"
lab
need python3
denied='^denied EPERM$'
# A /run of our own: only our sessions are in it.
mount -t tmpfs none /run

net() { # RULES (JSON list of allowOutbound) [more network members]: a policy file
	policy '{"version": 1, "workspace": "'"$WS"'", "network": {"allowOutbound": '"$1${2:+, $2}"'}}'
}
id_of() { # PID of a supervisor
	"$PINFOLD" ps --json | python3 -c 'import json, sys
print([s["session"] for s in json.load(sys.stdin) if s["pid"] == int(sys.argv[1])][0])' "$1"
}
up() { id=$(id_of "$pen_pid" 2>/dev/null) && [ -n "$id" ]; }
reload() { "$PINFOLD" reload "$id" "$1"; }
# A shell inside that runs what is put into $WS/do, for tries in the same session.
cat >"$WS/obey" <<'P'
while :; do
	if [ -e do ]; then mv do doing; sh ./doing >out.new 2>&1; mv out.new out; fi
	sleep 0.02
done
P
chown $TENANT "$WS/obey"
start() { # OPTIONS...
	rm -f "$WS/do" "$WS/out"
	start_pen "$@" -- sh ./obey
	until_true 10 up
}
inside() { # COMMAND LINE: runs it in the session
	rm -f "$WS/out"
	echo "$*" >"$WS/do.new"
	mv "$WS/do.new" "$WS/do"
	until_true 10 test -e "$WS/out"
	cat "$WS/out"
}
stop() { "$PINFOLD" kill "$id" >/dev/null; wait "$pen_pid" 2>/dev/null; }

# --- who is there ------------------------------------------------------------------------------------
expect 'with no session ps prints its head alone' '^SESSION +AGENT' "$PINFOLD" ps
expect 'and an empty array' '^\[\]$' "$PINFOLD" ps --json
start -p "$(net '["api.test:443"]')" --agent helper
expect 'ps shows a session with its agent and its command' "^$id helper .* sh ./obey$" "$PINFOLD" ps
check 'as JSON with every member' bash -c "'$PINFOLD' ps --json | python3 -c '
import json, sys
[s] = json.load(sys.stdin)
assert s[\"session\"] == \"$id\" and s[\"agent\"] == \"helper\" and s[\"pid\"] == $pen_pid
assert s[\"uid\"] == $TENANT and s[\"ageMs\"] > 0 and s[\"workspace\"] == \"$WS\"
assert s[\"command\"] == [\"sh\", \"./obey\"] and s[\"generation\"] == 1'"
inside python3 ./probe lookup api.test >/dev/null
inside python3 ./probe tcp 198.51.100.20 443 >/dev/null
check 'show has the policy, the known addresses and the counters' bash -c "'$PINFOLD' show --json '$id' | python3 -c '
import json, sys
s = json.load(sys.stdin)
assert s[\"policy\"][\"network\"][\"allowOutbound\"] == [\"api.test:443\"]
assert [(v[\"address\"], v[\"name\"]) for v in s[\"vouched\"]] == [(\"198.51.100.10\", \"api.test\")]
assert 0 < s[\"vouched\"][0][\"seconds\"] <= 60 and s[\"denied\"][\"net\"] >= 1 and len(s[\"hash\"]) == 64'"
expect 'show prints words' 'api\.test \([0-9]+ s\)' "$PINFOLD" show "$id"
check 'the beginning of a name is enough' "$PINFOLD" show "${id:0:5}"
status 'a name that nobody has is told' 64 "$PINFOLD" show zzz
status 'no name at all too' 64 "$PINFOLD" show ''
expect 'others than root are refused' 'only root' setpriv --reuid=$TENANT --regid=$TENANT --clear-groups "$PINFOLD" ps
expect 'the directory is for root alone' '^700 0$' stat -c '%a %u' /run/pinfold

# --- a reload that opens -----------------------------------------------------------------------------
expect 'before a reload another host is refused' '^denied ' inside python3 ./probe tcp other.test 443
check 'a policy is reloaded' reload "$(net '["api.test:443", "other.test:443"]')"
expect 'a reload opens a host' '^ok ok ' inside python3 ./probe tcp other.test 443
expect 'and what was open stays so without a new lookup' '^ok ' inside python3 ./probe tcp 198.51.100.10 443
logged 'the record has the reload' 'ev.event == "policy_reload" and ev.result == "ok" and ev.generation == 2 and len(ev.hash) == 64'
check 'the resolver that was replaced is no incident' bash -c "! grep -q degraded '$LOG'"

# --- P06: one that is not valid --------------------------------------------------------------------
bad=$(policy '{"version": 1, "network": {"allowOutbound": ["*"], "deny": []}}')
status 'P06 a policy that is not valid is rejected' 65 reload "$bad"
expect 'P06 and the old one holds on' "$denied" inside python3 ./probe tcp 203.0.113.7 443
expect 'P06 in both ways' '^ok ' inside python3 ./probe tcp api.test 443
logged 'P06 the record says so, and why' 'ev.event == "policy_reload" and ev.result == "rejected" and ev.generation == 2 and "deny" in ev.error'
expect 'a change of the files needs a new session, by name' 'filesystem\.rw needs a new session' \
	reload "$(policy '{"version": 1, "workspace": "'"$WS"'", "filesystem": {"rw": ["/srv"]}}')"
expect 'so does one of the limits' 'limits\.pids needs a new session' \
	reload "$(policy '{"version": 1, "workspace": "'"$WS"'", "limits": {"pids": 99}}')"
expect 'so does ping' 'network\.icmp needs a new session' reload "$(net '[]' '"icmp": true')"
cp "$(net '["*"]')" "$WS/mine.json"
status 'a policy that the session could write is refused' 65 reload "$WS/mine.json"
status 'what is no file is refused' 65 reload /dev/zero
status 'what is not there is refused' 65 reload "$T/none.json"
expect 'after all of that the second policy holds' '"generation":2,' "$PINFOLD" ps --json
check 'a resolver that knows the new names answers' reload "$(net '["*.wild.test:443"]')"
expect 'a new pattern resolves' '^ok ' inside python3 ./probe tcp x.wild.test 443
expect 'an old name no longer does' '^denied NXDOMAIN$' inside python3 ./probe lookup other.test
stop

# --- P26: one that shuts ---------------------------------------------------------------------------
cat >"$WS/talk" <<'P'
"""Says something every 100 ms over one connection; writes down when that ended."""
import os, socket, time
def say(name, text):
    with open(name + ".new", "w") as f:
        f.write(text)
    os.rename(name + ".new", name)
s = socket.create_connection(("api.test", 8443), 5)
s.settimeout(5)
s.recv(100)
n = 0
while True:
    try:
        s.sendall(b"x")
        if not s.recv(10):
            raise OSError("closed")
    except OSError as e:
        say("talked", f"ended after {n}: {e}")
        break
    n += 1
    say("count", str(n))
    time.sleep(0.1)
P
chown $TENANT "$WS/talk"
talk() {
	rm -f "$WS/talked" "$WS/count"
	inside '(python3 ./talk </dev/null >/dev/null 2>&1 &)' >/dev/null
	until_true 10 test -s "$WS/count"
}
beats() { # more than before: it lives
	local before
	before=$(cat "$WS/count")
	sleep 1.2 # what is cut ends within a second
	until_true 20 beat_after "$before" && [ ! -e "$WS/talked" ]
}
beat_after() { [ "$(cat "$WS/count")" -gt "$1" ]; }
fresh_log
start -p "$(net '["api.test:8443"]')"
talk
check 'a reload that shuts is taken' reload "$(net '[]')"
check 'P26 with "keep" an open connection lives on' beats
expect 'and a new one is refused' "$denied" inside python3 ./probe tcp 198.51.100.10 8443
check 'a reload with "cut" is taken' reload "$(net '[]' '"onRevoke": "cut"')"
check 'P26 with "cut" it ends within a second' until_true 1 test -s "$WS/talked"
logged 'P26 the record says that it was revoked' 'ev.event == "net_deny" and ev.reason == "revoked" and ev.dst == "198.51.100.10" and ev.port == 8443'
check 'P24 opened again' reload "$(net '["api.test:8443"]' '"onRevoke": "cut"')"
talk
check 'a cut that still allows the name' reload "$(net '["api.test:8443", "other.test:443"]' '"onRevoke": "cut"')"
check 'leaves the connection alone' beats
check 'a deny of its address is taken' reload "$(net '["api.test:8443"]' '"onRevoke": "cut", "denyOutbound": ["198.51.100.10"]')"
check 'and cuts it' until_true 1 test -s "$WS/talked"
stop

# --- a peer that is slow, or hostile ---------------------------------------------------------------
start -p "$(net '["api.test:443"]')"
python3 - "/run/pinfold/$id.sock" <<'P' &
import os, socket, sys, time
held = []
for i in range(64):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.setblocking(False)
    try:
        s.connect(sys.argv[1])
        held.append(s)
        s.send([b"", b"x", os.urandom(4104), b"\1\0\0\0\3\0\0\0" + b"/" * 4096, os.urandom(200000)][i % 5])
    except OSError:
        pass
time.sleep(3)
P
started+=($!)
expect 'peers that talk nonsense do not stall the session' '^ok ' inside python3 ./probe tcp api.test 443
check 'nor whoever asks in form' "$PINFOLD" show "$id"
stop

# --- the end -----------------------------------------------------------------------------------------
start_pen -- python3 -c 'import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(600)'
until_true 10 up
seconds=$SECONDS
check 'kill ends a session that ignores SIGTERM' "$PINFOLD" kill "$id"
check 'after some seconds of grace' test $((SECONDS - seconds)) -ge 2
check 'and not much later' test $((SECONDS - seconds)) -le 9
wait "$pen_pid"
check 'nothing of it is left' test ! -e /run/pinfold
logged 'the record tells that it was ended' 'ev.event == "session_end" and ev.reason == "pinfold kill"'
start
kill -KILL "$pen_pid"
wait "$pen_pid" 2>/dev/null
check 'kill -9 of the supervisor leaves no socket' until_true 5 test ! -e /run/pinfold
mkdir -m 700 /run/pinfold
python3 -c 'import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind("/run/pinfold/0123456789abcdef.sock")'
expect 'a socket that nobody listens to is no session' '^\[\]$' "$PINFOLD" ps --json
rm -r /run/pinfold
mkdir -m 777 /run/pinfold
check 'a session whose socket cannot be made safely runs without' pen -- true
check 'and leaves what it found' test -d /run/pinfold
chmod 755 /run/pinfold
start
expect 'a directory that root made for others to see is closed, and used' '^700 0$' stat -c '%a %u' /run/pinfold
stop
mkdir -p /run/pinfold

# --- refusals that nobody wants to read --------------------------------------------------------------
rmdir /run/pinfold
fresh_log
quiet=$(policy '{"version": 1, "audit": {"quiet": ["mdns.local", "*.noise.test", "203.0.113.0/24"]}}')
pen -p "$quiet" -- sh -c 'python3 ./probe lookup mdns.local; python3 ./probe lookup x.noise.test
	python3 ./probe tcp 203.0.113.7 443; python3 ./probe tcp 198.51.100.20 443; python3 ./probe lookup other.test' >/dev/null
logged 'a refusal of a quiet name or address is not written' 'not any(x in l.text() for l in lines
	if l.event.endswith("_deny") for x in ("mdns", "noise", "203.0.113"))'
logged 'others are' 'ev.event == "net_deny" and ev.dst == "198.51.100.20"'
logged 'names too' 'ev.event == "dns_deny" and ev.name == "other.test"'
logged 'all of them are counted' 'ev.event == "session_end" and ev.denied["net"] >= 2 and ev.denied["dns"] >= 3'

finish

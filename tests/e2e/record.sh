#!/bin/bash
# SPDX-License-Identifier: MIT
# The record: every line is valid and complete, and holds no secret.
. "$(dirname "$0")/lib.sh"
lab
need node

mkdir -p "$T/outside" && echo s >"$T/outside/file" && chmod -R a+rwX "$T/outside"
python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); time.sleep(600)' "$T/outside/control.sock" &
started+=($!)
until_true 5 test -S "$T/outside/control.sock"
chmod 777 "$T/outside/control.sock"

pen --allow api.test:443 --ro "$T/outside" -- sh -c '
	python3 ./probe tcp api.test 443; python3 ./probe tcp api.test 8443
	python3 ./probe tcp 198.51.100.20 443; python3 ./probe tcp 169.254.169.254 80
	python3 ./probe udp 203.0.113.7 53443; python3 ./probe lookup other.test
	python3 ./probe unix "'"$T"'/outside/control.sock"; python3 ./probe tcp 10.9.9.9 443' >/dev/null

check 'the record is one JSON object a line' python3 -c '
import json, sys
for raw in open(sys.argv[1], "rb"):
    assert len(raw) <= 4096 and raw.endswith(b"\n"), len(raw)
    assert isinstance(json.loads(raw), dict)' "$LOG"
logged 'every line has schema, time, number, event and session' 'all(
	l.v == 1 and l.ts and l.ts.endswith("Z") and isinstance(l.seq, int) and l.event and l.session for l in lines)'
logged 'the numbers go up by one' '[l.seq for l in lines] == list(range(lines[0].seq, lines[0].seq + len(lines)))'
logged 'it starts with session_start' 'lines[0].event == "session_start" and "sh" in str(lines[0].argv)'
logged 'it ends with session_end and the exit code' 'lines[-1].event == "session_end" and lines[-1].text().count("exit")'
logged 'the start tells the state of each fence' 'ev.event == "session_start" and ev.fences'
deny='ev.event == "net_deny" and ev.verdict == "deny"'
logged 'a refused address is recorded with address and port' "$deny"' and ev.dst == "198.51.100.20" and ev.port == 443 and ev.proto == "tcp"'
logged 'with the process' "$deny"' and ev.dst == "198.51.100.20" and ev.pid and ev.comm == "python3" and ev.uid == 10001'
logged 'with a reason and advice' "$deny"' and ev.dst == "198.51.100.20" and ev.reason and "allow" in str(ev.advice)'
logged 'a refused port of an allowed name is recorded with that name' "$deny"' and ev.port == 8443 and ev.name == "api.test"'
logged 'the metadata address is called that' "$deny"' and ev.dst == "169.254.169.254" and "metadata" in ev.text()'
logged 'private space is called that' "$deny"' and ev.dst == "10.9.9.9" and "private" in ev.text()'
logged 'UDP is recorded as UDP' "$deny"' and ev.proto == "udp" and ev.dst == "203.0.113.7"'
logged 'a refused name is recorded with advice' 'ev.event == "dns_deny" and ev.name == "other.test" and ev.advice'
logged 'a refused unix socket is recorded with its path' 'ev.event == "unix_deny" and "control.sock" in ev.path and ev.advice'
logged 'what was allowed is not recorded unless asked for' 'not any(l.event in ("net_allow", "dns_vouch") for l in lines)'
logged 'one refusal is one line' 'sum(l.event == "net_deny" and l.dst == "198.51.100.20" for l in lines) == 1'

# --- allowed, when asked for -----------------------------------------------------------------------
fresh_log
pen -p "$(policy '{"version": 1, "network": {"allowOutbound": ["api.test:443"]}, "audit": {"allowed": true}}')" -- \
	python3 ./probe tcp api.test 443 >/dev/null
logged 'with audit.allowed a connection is recorded' 'ev.event == "net_allow" and ev.dst == "198.51.100.10" and ev.name == "api.test"'
logged 'and so is what a name vouched for' 'ev.event == "dns_vouch" and ev.name == "api.test" and "198.51.100.10" in ev.addrs'

# --- secrets ---------------------------------------------------------------------------------------
fresh_log
pen -- true --token=tok-abcdef123456 'Authorization: Bearer abc.def-ghi123456' sk-abcdefghijklmnopqrstuvwx \
	ghp_abcdefghijklmnopqrstuvwxyz0123456789 'https://user:hunter2secret@api.test/?password=correct-horse' AKIAABCDEFGHIJKLMNOP
absent 'secrets in the command line are cut out' \
	'tok-abcdef|abc\.def-ghi|sk-abcdefgh|ghp_abcdef|hunter2secret|correct-horse|AKIAABCDEF' "$LOG"
logged 'and the cut is visible' '"redacted" in lines[0].text()'

# --- what a program may put into it ----------------------------------------------------------------
fresh_log
pen -- true $'x"}\n{"forged":true,"x":"\e[31m' >/dev/null
logged 'a forged line in the arguments stays an argument' 'not any("forged" in l for l in lines) and len(lines) == 2'
absent 'no control character reaches the record' $'\e' "$LOG"

# --- floods ----------------------------------------------------------------------------------------
fresh_log
pen -- python3 -c '
import socket
for i in range(20000):
    s = socket.socket(); s.setblocking(False)
    try: s.connect(("198.51.100.20", 443))
    except OSError: pass
    s.close()' >/dev/null
logged 'a flood is folded' 'len(lines) < 200 and any((l.suppressed or 0) > 0 for l in lines)'
logged 'and every one of it is counted: written, folded or lost' '
	sum(1 + (l.suppressed or 0) for l in lines if l.event == "net_deny")
	+ sum(int(l.count or l.lost or 0) for l in lines if l.event == "lost") >= 19000'

# --- the file --------------------------------------------------------------------------------------
expect 'the record is private' '^600 root$' stat -c '%a %U' "$LOG"
ln -s "$LOG" "$T/link.jsonl"
status 'a symlink is no record' 125 bash -c "cd '$WS' && '$PINFOLD' run --log '$T/link.jsonl' -- touch started"
status 'a record that the session could write is refused' 65 \
	bash -c "cd '$WS' && '$PINFOLD' run --log '$WS/log.jsonl' -- touch started"
check 'and the command does not start' test ! -e "$WS/started"
expect 'the record may go to standard error' '"event":"session_start"' \
	bash -c "cd '$WS' && '$PINFOLD' run --log - -- true"
cat >"$T/tries" <<END
cd '$WS'
case \$1 in
tty | quiet) exec 2>/dev/tty ;;
esac
[ "\$1" != quiet ] || set -- --quiet
[ "\$1" = --quiet ] || set --
exec '$PINFOLD' run "\$@" -- sh -c 'python3 ./probe tcp 198.51.100.20 443; python3 ./probe tcp 198.51.100.11 443'
END
hints() { script -qec "bash '$T/tries' $1 2>'$T/err'" /dev/null </dev/null; cat "$T/err"; }
count_hints() { hints "$1" | grep -c 'pinfold: refused'; }
expect 'on a terminal two denials print one hint' '^1$' count_hints tty
expect '... and none with --quiet' '^0$' count_hints quiet
expect '... nor where nobody reads it' '^0$' count_hints piped

# --- system calls and files ------------------------------------------------------------------------
fresh_log
pen -- unshare -Ur true
logged 'P92 a refused system call is recorded with what would allow it' \
	'ev.event == "syscall_deny" and ev.op == "unshare" and ev.comm == "unshare" and "allowNested" in ev.advice and ev.verdict == "deny"'
fresh_log
pen -- sh -c 'for i in $(seq 40); do dmesg; done' >/dev/null 2>&1
check 'a flood of refused calls is folded and counted' python3 -c '
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1])]
end = [l for l in lines if l["event"] == "session_end"][0]
calls = [l for l in lines if l["event"] == "syscall_deny"]
assert end["denied"]["calls"] >= 40 > len(calls), (end, len(calls))
assert sum(l.get("suppressed", 1) for l in calls) == end["denied"]["calls"], calls' "$LOG"
fresh_log
unshare -Ur true
setpriv --reuid=$TENANT --clear-groups unshare -U --map-user=0 true 2>/dev/null
pen -- true
logged 'what others do is not told as the session'"'"'s' 'not any(l.event == "syscall_deny" for l in lines)'
with_auditing
if "$PINFOLD" doctor | grep -q '^ready *file record'; then
	fresh_log
	pen -- sh -c 'python3 -c "import os, stat; os.mknod(\"x\", stat.S_IFCHR | 0o600, os.makedev(1, 3))"; mkdir /usr/x' 2>/dev/null
	logged 'a refused file is recorded with its path' \
		'ev.event == "fs_deny" and ev.path == "'"$WS"'" and ev.op == "fs.make_char" and ev.comm == "python3"'
	logged 'what its mode refuses anyway is not told as the pen'"'"'s' 'not any(l.path == "/usr" for l in lines)'
else
	skip 'a refused file is recorded with its path' 'this host makes no Landlock audit records'
fi

finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# The record goes to the journal or syslog as well, and waits for neither.
. "$(dirname "$0")/lib.sh"

# receiver SOCKET FILE [no]: writes what comes, each datagram with a NUL behind; or reads nothing.
cat >"$T/receiver.py" <<'P'
import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
out = open(sys.argv[2], "ab", buffering=0)
while len(sys.argv) > 3:
    time.sleep(60)
while True:
    out.write(s.recv(65536) + b"\0")
P
receiver() {
	rm -f "$1"
	python3 "$T/receiver.py" "$@" &
	receiver_pid=$!
	started+=("$receiver_pid")
	until_true 20 test -S "$1"
}
stop_receiver() {
	kill "$receiver_pid"
	wait "$receiver_pid" 2>/dev/null
}
try='python3 ./probe tcp 198.51.100.20 443 >/dev/null; exit 0'
received() { tr '\0' '\n' <"$T/got" | grep -qE -- "$1"; }
same() { # every line of the file arrived, in order
	python3 -c '
import sys
lines = open(sys.argv[1], "rb").read().splitlines()
got = [d.rstrip(b"\n").split(sys.argv[3].encode(), 1)[1] for d in open(sys.argv[2], "rb").read().split(b"\0") if d]
assert got == lines, (len(got), len(lines))' "$LOG" "$T/got" "$1"
}

# --- syslog -----------------------------------------------------------------------------------------
receiver "$T/log" "$T/got"
check 'a pen runs with --log-to syslog' pen --log-to "syslog:$T/log" -- sh -c "$try"
check 'every line arrives there too' same ']: '
check 'a denial is a warning of authpriv' received '^<84>[A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} pinfold\[[0-9]+\]: \{.*"net_deny"'
check 'other lines are information' received '^<86>.*"session_start"'
fresh_log
check 'without a file it works as well' bash -c 'cd "$1" && "$PINFOLD" run -q --log-to "syslog:$2" -- true' - "$WS" "$T/log"
stop_receiver

# --- the journal ------------------------------------------------------------------------------------
rm "$T/got"
receiver "$T/journal" "$T/got"
fresh_log
check 'a pen runs with --log-to journal' pen --log-to "journal:$T/journal" -- sh -c "$try"
check 'each line is the message of an entry' same 'MESSAGE='
check 'the entry has event, session and priority' received '^PINFOLD_EVENT=net_deny$'
check 'a session' received '^PINFOLD_SESSION=[0-9a-f]{16}$'
check 'and a priority' received '^PRIORITY=4$'

# --- the other verbs that keep a record -------------------------------------------------------------
stop_receiver
rm "$T/got" "$T/journal"
receiver "$T/log" "$T/got"
fresh_log
check 'learn has --log-to' bash -c 'cd "$1" && "$PINFOLD" learn -q -o - --log "$2" --log-to "syslog:$3" -- true' - "$WS" "$LOG" "$T/log"
check '... and every line arrives' same ']: '
config=$T/gateway.json
echo "{ agents: { defaults: { workspace: '$WS', sandbox: { mode: 'all', workspaceAccess: 'rw', workspaceRoot: '$T/boxes' } } } }" >"$config"
: >"$T/got"
fresh_log
check 'exec has it' "$PINFOLD" exec --config "$config" --session x --log "$LOG" --log-to "syslog:$T/log" -- true
check '... and every line arrives, of the pen and of what was decided' same ']: '
check '... the execution among them' received '"event":"tool_execution"'
status '... when nobody receives nothing starts' 125 "$PINFOLD" exec --config "$config" --session x --log-to "syslog:$T/none" -- touch "$WS/started"
check '... nothing at all' test ! -e "$WS/started"
# attach.sh has it for attach.
stop_receiver
receiver "$T/journal" "$T/got"

# --- a receiver that goes, or stops reading ---------------------------------------------------------
fresh_log
start_pen --log-to "journal:$T/journal" -- sh -c "until test -e anew; do sleep 0.05; done; $try"
until_true 20 grep -q session_start "$LOG"
stop_receiver
rm "$T/got"
receiver "$T/journal" "$T/got"
touch "$WS/anew"
wait "$pen_pid"
check 'a receiver that was started anew is found' received 'net_deny'
stop_receiver

fresh_log
status 'when nobody receives it is exit 125' 125 pen --log-to "journal:$T/none" -- touch started
check 'and nothing starts' test ! -e "$WS/started"
expect 'and names the place' "nobody receives for the journal at $T/none" pen --log-to "journal:$T/none" -- true
status 'as is another word' 125 pen --log-to splunk -- true
expect 'with the remedy' "to 'journal' or 'syslog'" pen --log-to splunk -- true

receiver "$T/deaf" "$T/none" no
fresh_log
cat >"$WS/many.py" <<'P'
import socket
for i in range(1, 61):
    try:
        socket.create_connection((f"198.51.100.{i}", 443), 1)
    except OSError:
        pass
P
check 'a receiver that reads nothing holds nobody up' timeout 60 bash -c 'cd "$1" && "$PINFOLD" run -q --log "$2" --log-to "syslog:$3" -- python3 many.py' - "$WS" "$LOG" "$T/deaf"
logged 'the file has every line' '{l.dst for l in lines if l.event == "net_deny"} == {f"198.51.100.{i}" for i in range(1, 61)}'
logged 'and tells how many were lost there' 'ev.event == "lost" and ev.what == "syslog" and ev.count > 10'
stop_receiver
fresh_log
receiver "$T/log" "$T/got"
start_pen --log-to "syslog:$T/log" -- sh -c "sleep 1; $try"
until_true 5 grep -q session_start "$LOG"
stop_receiver
until_true 10 grep -q session_end "$LOG"
wait "$pen_pid"
check 'a receiver that went for good holds nobody up' test $? -eq 0
logged 'its loss is told in the file' 'ev.event == "lost" and ev.what == "syslog"'

# --- rotation ---------------------------------------------------------------------------------------
fresh_log
start_pen -- sh -c "sleep 3; $try"
until_true 5 grep -q session_start "$LOG"
mv "$LOG" "$LOG.1"
check 'a rename is noticed: the file is made anew' until_true 5 test -e "$LOG"
check 'for its owner alone' test "$(stat -c %a "$LOG")" = 600
wait "$pen_pid"
logged 'and what comes later stands in it' 'lines[-1].event == "session_end" and any(l.event == "net_deny" for l in lines)'
check 'pinfold log reads both' test "$("$PINFOLD" log --json --event 'session_*' "$LOG" | wc -l)" -eq 2
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# SIGHUP opens the record anew and is no business of the command, which loses no line and doubles
# none; a terminal that hangs up ends the session all the same.
. "$(dirname "$0")/lib.sh"
need python3

# busy: a refused destination every few milliseconds, each another one, until the file `enough` is
# there; a SIGHUP to it would be told.
cat >"$WS/busy.py" <<'P'
import os, signal, socket, time
signal.signal(signal.SIGHUP, lambda *_: open("heard", "w").close())
open("ready", "w").close()
n = 0
while not os.path.exists("enough") and n < 30000:
    n += 1
    s = socket.socket()
    s.setblocking(False)
    try:
        s.connect((f"198.51.{100 + n // 250}.{1 + n % 250}", 443))
    except OSError:
        pass
    s.close()
    time.sleep(0.004)
open("tried", "w").write(str(n))
P
rotate() { # N
	local i
	for i in $(seq "$1"); do
		mv "$LOG" "$LOG.$i" || return
		kill -HUP "$pen_pid" || return
		until_true 20 test -s "$LOG" || return
	done
}
# whole LOG...: every number of the session once, and a line for each destination that was tried.
whole() {
	python3 -c '
import json, sys
lines = [json.loads(l) for f in sys.argv[2:] for l in open(f)]
seqs = sorted(l["seq"] for l in lines)
assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), "numbers"
denied = [l["dst"] for l in lines if l["event"] == "net_deny" and "suppressed" not in l]
lost = sum(l.get("count", 0) for l in lines if l["event"] == "lost")
tried = int(open(sys.argv[1]).read())
assert len(denied) == len(set(denied)), "doubled"
assert len(denied) + lost == tried and lost == 0, (len(denied), lost, tried)' "$WS/tried" "$@"
}
start_pen -- python3 busy.py
until_true 20 test -e "$WS/ready"
until_true 20 grep -q net_deny "$LOG"
check 'the record is renamed and SIGHUP sent ten times, and each time there is a new file' rotate 10
check '... for its owner alone' test "$(stat -c %a "$LOG")" = 600
# Without a rename, and twice at once, it opens what it has.
kill -HUP "$pen_pid"
kill -HUP "$pen_pid"
: >"$WS/enough"
wait "$pen_pid"
status 'the session runs to its own end' 0 test $? -eq 0
check 'the command heard no SIGHUP' test ! -e "$WS/heard"
check 'no line is lost and none is doubled' whole "$LOG" "$LOG".*
check 'the last file ends with the session' bash -c "tail -n 1 '$LOG' | grep -q session_end"
check 'the first one begins with it' bash -c "head -n 1 '$LOG.1' | grep -q session_start"
expect 'pinfold log reads all of them' '^[1-9][0-9]*$' bash -c "'$PINFOLD' log --json --event net_deny '$LOG' | wc -l"
rm -f "$LOG".* "$WS"/{ready,enough,tried,heard}

# --- where nothing can be opened --------------------------------------------------------------------
fresh_log
start_pen -- sh -c 'touch ready; while [ ! -e enough ]; do sleep 0.1; done; python3 ./probe tcp 198.51.100.20 443'
until_true 20 test -e "$WS/ready"
mv "$LOG" "$LOG.1"
ln -s "$T/elsewhere" "$LOG" # what may not become a record
kill -HUP "$pen_pid"
check 'when the file cannot be opened anew the old one is told' until_true 20 grep -q '"degraded"' "$LOG.1"
: >"$WS/enough"
wait "$pen_pid"
check 'and goes on to be used' grep -q '"net_deny"' "$LOG.1"
check 'nothing is written where the link leads' test ! -e "$T/elsewhere"
rm -f "$LOG" "$LOG.1" "$WS"/{ready,enough}

# --- a terminal that hangs up -----------------------------------------------------------------------
long='touch ready; exec sleep 300'
on_tty() { # HOW OPTIONS...
	rm -f "$WS/ready"
	: >"$LOG"
	(cd "$WS" && timeout 60 python3 "$e2e/hangup.py" "$1" "$WS/ready" "$PINFOLD" run -q --log "$LOG" "${@:2}" -- sh -c "$long")
}
ended_by() { tail -n 1 "$LOG" | grep '"session_end"' | grep -q "\"signal\":$1\b"; }
for how in close job passed; do
	expect "a terminal that hangs up ($how) ends the session" '^ended' on_tty "$how"
	check "... and the record says by what ($how)" until_true 20 ended_by 1
done
expect 'a SIGHUP on a terminal that lives ends nothing' '^ended 143$' on_tty signal
expect 'a terminal of the pen'\''s own hangs up with the outer one' '^ended' on_tty close --pty
check '... and the session ends by it' until_true 20 ended_by 1
expect 'a SIGHUP to its keeper, while the terminal lives, ends nothing' '^ended 143$' on_tty signal --pty
ignoring() {
	rm -f "$WS/ready"
	: >"$LOG"
	(cd "$WS" && timeout 60 python3 "$e2e/hangup.py" close "$WS/ready" /usr/bin/nohup "$PINFOLD" run -q --log "$LOG" -- sh -c 'touch ready; sleep 7; exit 5')
}
expect 'under nohup it goes on to its own end' '^ended 5$' ignoring

# --- without a record -------------------------------------------------------------------------------
unrecorded() {
	rm -f "$WS/ready"
	(cd "$WS" && exec "$PINFOLD" run -q -- sh -c "$long") &
	local pid=$!
	started+=("$pid")
	until_true 20 test -e "$WS/ready"
	kill -HUP "$pid"
	wait "$pid"
}
status 'without a record there is nothing to open: SIGHUP goes to the command' 129 unrecorded
finish

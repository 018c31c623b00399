#!/bin/bash
# SPDX-License-Identifier: MIT
# run --pty: the command has a terminal of its own, which works as one, and none of its launcher's.
. "$(dirname "$0")/lib.sh"
need python3 stty
in_ws() { (cd "$WS" && exec "$@"); }
# shellcheck disable=SC2034
own=("$PINFOLD" run --pty --quiet --log "$LOG" --)
on_terminal() { # SECONDS COMMAND...: as a shell would run it, on a terminal
	in_ws timeout 60 python3 "$e2e/onpty.py" "$1" "${@:2}"
}

# --- without a terminal outside --------------------------------------------------------------------
expect 'the command is on a terminal, though its launcher is not' '^yes' in_ws "${own[@]}" sh -c 'test -t 0 && test -t 1 && test -t 2 && echo yes'
status 'an exit code passes' 7 in_ws "${own[@]}" sh -c 'exit 7'
status 'so does a signal' 143 in_ws "${own[@]}" sh -c 'kill -TERM $$; sleep 9'
status 'what cannot be confined is said' 65 in_ws "$PINFOLD" run --pty -p /dev/null -- true
fed() { printf "$1" | (cd "$WS" && "${own[@]}" "${@:2}"); }
expect 'input passes, and its end' '^got: hello' fed 'hello\n' sh -c 'read -r l; echo "got: $l"; cat >/dev/null'
expect 'a megabyte of output arrives whole' '^1048576$' sh -c "cd '$WS' && '$PINFOLD' run --pty --quiet -- sh -c 'head -c 1048576 /dev/zero | tr \"\\\\0\" x' </dev/null | tr -d '\r\n' | wc -c"
expect 'a shell has job control in it' 'Running .*sleep 60' fed 'sleep 60 &\njobs\nkill %%1\nexit 4\n' bash --norc -i
status 'and its own exit code' 4 fed 'exit 4\n' bash --norc -i
cat >"$T/term.py" <<P
import os, signal, subprocess, sys, time
p = subprocess.Popen(["$PINFOLD", "run", "--pty", "--quiet", "--", "sh", "-c", "echo up; sleep 61.25"], cwd="$WS",
                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
p.stdout.readline()
p.send_signal(getattr(signal, sys.argv[1]))
print("ended", p.wait(15))
P
expect 'SIGTERM ends the session' '^ended 143$' python3 "$T/term.py" SIGTERM
expect 'when the terminal'\''s keeper is killed nothing stays' '^ended -9$' python3 "$T/term.py" SIGKILL
cat >"$T/none.py" <<'P'
import glob, sys
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        if open(path, "rb").read() == b"sleep\x0061.25\x00":
            sys.exit(path)
    except OSError:
        pass
P
check '... no process of the session' until_true 10 python3 "$T/none.py"

# --- on a terminal ---------------------------------------------------------------------------------
expect 'the launcher'\''s terminal keeps its modes while and after' 'ended 0, echo on' \
	on_terminal 15 "${own[@]}" sh -c 'stty -echo raw; exit 0'
cat >"$WS/which" <<'P'
import os
open("device", "a").write("%d\n" % os.fstat(0).st_rdev)
P
cat >"$T/both.py" <<P
import os, subprocess
os.chdir("$WS")
before = os.fstat(0).st_rdev
subprocess.run(["$PINFOLD", "run", "--pty", "--quiet", "--", "python3", "./which"])
open("device", "a").write("%d\n" % before)
P
expect 'the session has another terminal than its launcher' 'ended 0' on_terminal 15 /usr/bin/python3 "$T/both.py"
check '... by its device' python3 -c 'import sys; a, b = open(sys.argv[1]).read().split(); sys.exit(a == b)' "$WS/device"
suspended() { CTRL_Z=3 RESUME=1 on_terminal 25 "$@" | tr '\n' ' '; }
expect 'Ctrl-Z stops it as a job of the shell outside, and fg goes on' '^stopped SIGTSTP ended 5,' \
	suspended "${own[@]}" sh -c 'sleep 6; exit 5'
finish

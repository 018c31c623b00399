#!/bin/bash
# SPDX-License-Identifier: MIT
# The supervisor under attack: what runs inside can neither stop, hold nor fool who watches it, nor use
# what the pen shares with its launcher (terminal, process group, pseudo terminals) against others.
. "$(dirname "$0")/lib.sh"
lab
short=$(policy '{"version": 1, "limits": {"timeout": "2s"}}')
in_ws() { (cd "$WS" && exec "$@"); }

# --- the terminal ----------------------------------------------------------------------------------
# A child takes the foreground; then the old group is stopped, with the supervisor in it.
cat >"$WS/background" <<'P'
import os, signal, sys, termios, time
ready, told = os.pipe()
if os.fork() == 0:
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, os.getpgrp())
    os.write(told, b"x")
    for i in range(60):
        time.sleep(0.1)
    open("outlived", "w").close()
    os._exit(0)
os.read(ready, 1)
if sys.argv[1] == "read":
    os.read(0, 1)
else:
    termios.tcsetattr(0, termios.TCSANOW, termios.tcgetattr(0))
time.sleep(100)
P
cat >"$WS/lean" <<'P'
import os, socket, sys, termios, time
if sys.argv[1] == "hold":
    termios.tcflow(1, termios.TCOOFF)
elif sys.argv[1] == "fill":
    os.set_blocking(2, False)
    for size in (65536, 1):
        try:
            while True:
                os.write(2, b"x" * size)
        except BlockingIOError:
            pass
try:
    socket.create_connection(("198.51.100.20", 443), 1)
except OSError:
    pass
time.sleep(100)
P
for how in read change; do
	rm -f "$WS/outlived"
	expect "a session that has its group stopped ($how in the background) is stopped as a whole" 'stopped SIGTT' \
		in_ws timeout 60 python3 "$e2e/onpty.py" 7.5 "$PINFOLD" run --quiet --log "$LOG" -p "$short" -- python3 ./background "$how"
	status 'nothing inside ran on while nobody watched' 1 test -e "$WS/outlived"
done
cat >"$WS/suspend" <<'P'
import os, signal, sys, tty
mode = tty.setraw(0)
if sys.argv[1] == "group":
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, os.getpgrp())
os.kill(os.getpid(), signal.SIGTSTP)
if sys.argv[1] == "group" and os.tcgetpgrp(0) != os.getpgrp():
    sys.exit(6)
sys.exit(5)
P
for how in shared group; do
	expect "a program in raw mode that stops itself ($how) gives the terminal to the shell, and goes on later" '^stopped SIGTSTP ended 5,' \
		in_ws sh -c "RESUME=1 timeout 60 python3 '$e2e/onpty.py' 12 '$PINFOLD' run --quiet --log '$LOG' -- python3 ./suspend $how | tr '\n' ' '"
done
expect 'one that is stopped and continued inside stops nobody else' '^ended 7,' \
	in_ws timeout 60 python3 "$e2e/onpty.py" 12 "$PINFOLD" run --quiet --log "$LOG" -- sh -c 'sh -c "kill -STOP \$\$; exit 7" & p=$!; sleep 0.5; kill -CONT $p; wait $p'
expect 'Ctrl-Z stops once, and the session goes on' '^stopped SIGTSTP ended 0,' \
	in_ws sh -c "CTRL_Z=2 RESUME=1 timeout 60 python3 '$e2e/onpty.py' 20 '$PINFOLD' run --quiet --log '$LOG' -- sh -c 'sleep 5' | tr '\n' ' '"
expect 'a session that stops the terminal'\''s output holds nobody: its time ends' 'ended (143|137)' \
	in_ws timeout 60 python3 "$e2e/onpty.py" 12 "$PINFOLD" run --log "$LOG" -p "$short" -- python3 ./lean hold
expect 'the terminal has its modes again after the session' 'ended 3, echo on' \
	in_ws timeout 60 python3 "$e2e/onpty.py" 12 "$PINFOLD" run --quiet --log "$LOG" -- sh -c 'stty -echo; exit 3'
cat >"$T/fill.py" <<P
import os, subprocess, sys
p = subprocess.Popen(sys.argv[1:], cwd="$WS", stderr=subprocess.PIPE)
try:
    print("ended", p.wait(12))
except subprocess.TimeoutExpired:
    p.kill()
    print("held")
P
expect 'a session that fills the pipe of standard error holds nobody' 'ended 143' \
	python3 "$T/fill.py" "$PINFOLD" run --log "$LOG" -p "$short" -- python3 ./lean fill

# --- the end's news --------------------------------------------------------------------------------
cat >"$T/ignore.py" <<'P'
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
P
status 'a killed session is no success where the launcher ignores SIGCHLD' 137 in_ws python3 "$T/ignore.py" \
	"$PINFOLD" run --quiet -p "$short" -- sh -c 'trap "" TERM; while :; do sleep 1; done'
status 'an exit code passes there too' 7 in_ws python3 "$T/ignore.py" "$PINFOLD" run --quiet -- sh -c 'exit 7'
cat >"$T/no_janitor.py" <<P
import os, subprocess, sys, time
p = subprocess.Popen(["$PINFOLD", "run", "--quiet", "--", "sh", "-c", "touch up; sleep 1; exit 7"], cwd="$WS")
while not os.path.exists("$WS/up"):
    time.sleep(0.01)
for child in open(f"/proc/{p.pid}/task/{p.pid}/children").read().split():
    if open(f"/proc/{child}/comm").read().strip() == "pinfold-janitor":
        os.kill(int(child), 9)
        print("killed", end=" ")
print(p.wait(20))
P
expect 'without its janitor a session ends as it would with it' '^killed 7$' python3 "$T/no_janitor.py"
status 'a limit on file sizes costs lines of the record, not the session' 7 \
	in_ws bash -c "ulimit -f 1; for i in \$(seq 60); do set -- \"\$@\" xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done
		'$PINFOLD' run --quiet --log '$T/small.log' -- sh -c 'exit 7' \"\$@\" >/dev/null 2>&1"

# --- what is shared --------------------------------------------------------------------------------
ptys='import os
n = []
try:
    while len(n) < 1000: n.append(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
except OSError: pass
print("ptys", len(n))'
expect 'a session can'\''t take all pseudo terminals of the host' '^ptys 128$' pen -- bash -c "ulimit -n 2000; exec python3 -c '$ptys'"
expect 'its private file systems are bounded well below the memory' '^small$' pen -- python3 -c '
import os
total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
own = [os.statvfs(p) for p in ("/tmp", "/var/tmp", "/dev/shm", os.environ["HOME"])]
small = sum(s.f_blocks * s.f_frsize for s in own) <= total * 0.61
few = sum(s.f_files for s in own) <= os.sysconf("SC_PHYS_PAGES") * 0.61
print("small" if small and few else own)'
# Without a terminal, whatever works on "my process group" or "my session" stays inside.
expect 'without a terminal a session is in no group of the launcher' '^own$' setsid bash -c "cd '$WS' && '$PINFOLD' run --quiet -- python3 -c '
import os
print(\"own\" if os.getpgid(0) > 0 and os.getsid(0) > 0 else \"shared\")'"
expect 'a hint carries no control bytes' '^clean$' bash -c "cd '$WS' && '$PINFOLD' run --log '$LOG' -- python3 -c '
import socket
s = socket.socket(socket.AF_UNIX)
try: s.connect(\"/nowhere/\\x1b]0;title\\x07\")
except OSError: pass' 2>&1 | LC_ALL=C grep -c \$'[\\x01-\\x08\\x0b-\\x1f\\x7f]' | sed 's/^0\$/clean/'"
finish

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hangup.py HOW READY COMMAND...: starts it on a terminal of its own, waits until the file READY is
there, and hangs up, as HOW says.
  close    the terminal's other end closes; the command leads the terminal's session
  job      the same; the command is a shell's foreground job, and the shell ends
  passed   a parent gets the hangup, sends SIGHUP first and closes the terminal after that (sudo)
  signal   nothing hangs up, SIGHUP is sent; after a moment the end comes by SIGTERM
Prints "ended CODE", or "still there" after 25 seconds."""
import os
import pty
import signal
import sys
import time

how, ready, argv = sys.argv[1], sys.argv[2], sys.argv[3:]
said_r, said_w = os.pipe()


def run():
    os.close(said_r)
    os.execv(argv[0], argv)


def lead():
    """A shell with one job: tells its pid and, at its end, its status."""
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        run()
    os.write(said_w, b"%d\n" % job)
    signal.signal(signal.SIGHUP, lambda *_: os._exit(0) if how == "job" else None)
    while True:
        signal.pause()


def state(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return None


pid, fd = pty.fork()
if pid == 0:
    run() if how in ("close", "signal") else lead()
os.close(said_w)
os.set_blocking(fd, False)
job = pid if how in ("close", "signal") else int(os.read(said_r, 20))


def drain():
    try:
        while os.read(fd, 4096):
            pass
    except (OSError, ValueError):
        pass


end = time.monotonic() + 25
while not os.path.exists(ready) and time.monotonic() < end:
    drain()
    time.sleep(0.05)
if how in ("passed", "signal"):
    os.kill(job, signal.SIGHUP)
    time.sleep(0.5)
if how == "signal":
    time.sleep(1.5)
    os.kill(job, signal.SIGTERM)
else:
    os.close(fd)
end = time.monotonic() + 25
while time.monotonic() < end:
    if job == pid:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            print("ended", os.waitstatus_to_exitcode(status))
            sys.exit()
    elif state(job) in (None, "Z"):
        print("ended")
        os.kill(pid, signal.SIGKILL)
        sys.exit()
    drain() if how == "signal" else None
    time.sleep(0.05)
print("still there")
os.kill(job, signal.SIGKILL)
os.kill(pid, signal.SIGKILL)

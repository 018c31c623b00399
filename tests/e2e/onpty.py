#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""onpty.py SECONDS COMMAND...: runs it as a shell would on a terminal of its own, in the foreground.
Prints what became of it, "ended CODE" or "stopped SIGNAL", and "still there" when time is over.
With CTRL_Z in the environment that key is pressed after so many seconds.  With RESUME in the environment what has stopped is brought to the foreground again, as by fg."""
import os
import pty
import signal
import sys
import termios
import threading
import time

seconds, argv = float(sys.argv[1]), sys.argv[2:]
say = os.dup(1)


def told(text):
    os.write(say, (text + "\n").encode())


def lead():
    command = os.fork()
    if command == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execv(argv[0], argv)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(command, os.WUNTRACED | os.WNOHANG)
        if pid and os.WIFSTOPPED(status):
            told(f"stopped {signal.Signals(os.WSTOPSIG(status)).name}")
            if "RESUME" in os.environ:
                time.sleep(0.3)
                os.tcsetpgrp(0, command)
                os.killpg(command, signal.SIGCONT)
        elif pid:
            echo = bool(termios.tcgetattr(0)[3] & termios.ECHO)
            told(f"ended {os.waitstatus_to_exitcode(status)}, echo {'on' if echo else 'off'}")
            return
        time.sleep(0.05)
    told("still there")
    os.kill(command, signal.SIGKILL)
    os.kill(command, signal.SIGCONT)
    os.waitpid(command, 0)


leader, fd = pty.fork()
if leader == 0:
    lead()
    os._exit(0)


def drain():
    try:
        while os.read(fd, 4096):
            pass
    except OSError:
        pass


threading.Thread(target=drain, daemon=True).start()
if "CTRL_Z" in os.environ:
    time.sleep(float(os.environ["CTRL_Z"]))
    os.write(fd, b"\x1a")
os.waitpid(leader, 0)

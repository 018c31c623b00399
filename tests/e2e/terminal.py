#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""terminal.py PINFOLD WORKSPACE: an interactive shell in a pen, typed at through a pty."""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

pinfold, workspace = sys.argv[1:3]


def read_until(fd, pattern, seconds=10):
    seen, end = "", time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                seen += os.read(fd, 4096).decode(errors="replace")
            except OSError:
                break
            if re.search(pattern, seen):
                return seen
    sys.exit(f"waited for {pattern!r}, saw {seen!r}")


def resize(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


pid, fd = pty.fork()
if pid == 0:
    os.chdir(workspace)
    os.environ["PS1"] = "$ "
    os.execv(pinfold, [pinfold, "run", "--", "bash", "--norc", "--noprofile", "-i"])

resize(fd, 33, 77)
os.write(fd, b"PS1=; echo rea''dy\n")
read_until(fd, r"ready")
os.write(fd, b"sleep 60\n")
time.sleep(0.5)
os.write(fd, b"\x03")
os.write(fd, b"echo code=$?.\n")
read_until(fd, r"code=130\.")
os.write(fd, b"sleep 60\n")
time.sleep(0.5)
os.write(fd, b"\x1a")
read_until(fd, r"Stopped")
os.write(fd, b"kill %1; echo jobs''ok\n")
read_until(fd, r"jobsok")
resize(fd, 44, 99)
os.write(fd, b"stty size\n")
read_until(fd, r"44 99")
os.write(fd, b"exit 5\n")
_, status = os.waitpid(pid, 0)
if os.waitstatus_to_exitcode(status) != 5:
    sys.exit(f"the shell's exit 5 came out as {os.waitstatus_to_exitcode(status)}")
print("ok")

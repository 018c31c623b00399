# SPDX-License-Identifier: MIT
"""approve_prompt.py SECONDS TYPED COMMAND...: runs it on a terminal of its own, types TYPED once it
asks, prints all that the terminal showed, and ends with the command's exit status.  What is typed
before the question must not answer it: a "y" is sent at once."""
import os
import pty
import select
import sys
import time

seconds, typed, argv = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(argv[0], argv)
os.write(terminal, b"y\n")
shown, asked, end = b"", False, time.monotonic() + seconds
while time.monotonic() < end:
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
    if b"Allow it?" in shown and not asked:
        asked = True
        time.sleep(0.3)
        os.write(terminal, typed.encode().decode("unicode_escape").encode())
sys.stdout.write(shown.decode(errors="replace"))
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))

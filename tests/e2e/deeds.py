#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""deeds.py OUTSIDE INSIDE: uses files in many ways, each on a path of its own.

Prints "ok DEED" or "no DEED" for each; the path of a deed ends with its name.  The same deeds run
observed and enforced, so what is refused there has to be what would be refused here.
"""
import os
import shutil
import socket
import subprocess
import sys

OUT, IN = sys.argv[1:]


def out(deed):
    return f"{OUT}/{deed}"


def use(path, flags):
    os.close(os.open(path, flags, 0o644))


def connect(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)


def below(deed):
    fd = os.open(OUT, os.O_PATH)
    try:
        use_at = os.open(deed, os.O_RDONLY, dir_fd=fd)
        os.close(use_at)
    finally:
        os.close(fd)


def inside_socket(deed):
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(deed)
        s.listen()
        connect(deed)


def temporary(deed):
    path = f"/tmp/pinfold-{os.path.basename(os.path.dirname(OUT))}-{deed}"
    use(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    os.unlink(path)


DEEDS = {
    # outside of every grant
    "read": lambda d: use(out(d), os.O_RDONLY),
    "write": lambda d: use(out(d), os.O_WRONLY),
    "append": lambda d: use(out(d), os.O_WRONLY | os.O_APPEND),
    "truncate": lambda d: os.truncate(out(d), 0),
    "create": lambda d: use(out(d), os.O_WRONLY | os.O_CREAT),
    "create-again": lambda d: use(out(d), os.O_WRONLY | os.O_CREAT),
    "list": lambda d: os.listdir(out(d)),
    "look": lambda d: os.stat(out(d)),
    "enter": lambda d: os.chdir(out(d)),
    "make-dir": lambda d: os.mkdir(out(d)),
    "make-dir-again": lambda d: os.makedirs(out(d), exist_ok=True),
    "rename-over": lambda d: os.rename(out("look"), out(d)),
    "remove-dir": lambda d: os.rmdir(out(d)),
    "remove": lambda d: os.unlink(out(d)),
    "rename-to": lambda d: shutil.move(f"{IN}/plain", out(d)),
    "rename-from": lambda d: shutil.move(out(d), f"{IN}/taken"),
    "link-to": lambda d: os.link(out("rename-over"), out(d)),
    "symlink-to": lambda d: os.symlink("x", out(d)),
    "fifo": lambda d: os.mkfifo(out(d)),
    "mode": lambda d: os.chmod(out(d), 0o640),
    "times": lambda d: os.utime(out(d)),
    "execute": lambda d: subprocess.run([out(d)], check=True),
    "below-a-descriptor": below,
    "relative": lambda d: use(os.path.relpath(out(d)), os.O_RDONLY),
    "through-a-symlink": lambda d: use(f"{IN}/to-{d}", os.O_RDONLY),
    "symlink-outside": lambda d: use(out(d), os.O_RDONLY),
    "socket": lambda d: connect(out(d)),
    # granted, but not for that
    "ro-read": lambda d: use(out("ro/" + d), os.O_RDONLY),
    "ro-list": lambda d: os.listdir(out("ro/" + d)),
    "ro-write": lambda d: use(out("ro/" + d), os.O_WRONLY),
    "ro-create": lambda d: use(out("ro/" + d), os.O_WRONLY | os.O_CREAT),
    "ro-execute": lambda d: subprocess.run([out("ro/" + d)], check=True),
    "rox-execute": lambda d: subprocess.run([out("rox/" + d)], check=True),
    "rox-write": lambda d: use(out("rox/" + d), os.O_WRONLY),
    "rw-create": lambda d: use(out("rw/" + d), os.O_WRONLY | os.O_CREAT),
    "rw-remove": lambda d: os.unlink(out("rw/" + d)),
    "rw-file": lambda d: use(out(d), os.O_WRONLY),
    "rw-file-removed": lambda d: os.unlink(out(d)),
    # denied or sensitive
    "denied": lambda d: use(out("rw/" + d), os.O_RDONLY),
    # the session's own
    "inside": lambda d: use(f"{IN}/{d}", os.O_WRONLY | os.O_CREAT),
    "inside-socket": lambda d: inside_socket(f"{IN}/{d}"),
    "temporary": temporary,
    "home": lambda d: use(os.path.expanduser("~/" + d), os.O_WRONLY | os.O_CREAT),
    "config": lambda d: use(f"{IN}/.git/{d}", os.O_WRONLY | os.O_APPEND),
    "hooks": lambda d: use(f"{IN}/.git/{d}/hooks", os.O_WRONLY | os.O_CREAT),
    "index": lambda d: use(f"{IN}/.git/{d}", os.O_WRONLY | os.O_CREAT),
}

os.chdir(IN)
for deed, do in DEEDS.items():
    try:
        do(deed)
        print("ok", deed)
    except (OSError, subprocess.SubprocessError):
        print("no", deed)
    os.chdir(IN)

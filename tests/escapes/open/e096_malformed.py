#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E096/E097: compression loops, short packets, huge counts; the proxy must stay alive.
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
h = lambda *a: struct.pack("!6H", *a)
bad = [
    b"",
    b"\0",
    h(1, 0x100, 1, 0, 0, 0),
    h(2, 0x100, 65535, 65535, 65535, 65535),
    h(3, 0x100, 1, 0, 0, 0) + b"\xc0\x0c\0\x01\0\x01",
    h(4, 0x100, 1, 0, 0, 0) + b"\x3f" + b"a" * 10,
    h(5, 0x100, 1, 0, 0, 0) + b"\x03www\xc0\x0c\0\x01\0\x01",
    h(6, 0x8180, 1, 1, 0, 0) + labels("ok." + ALLOWED) + b"\0\1\0\1",
    h(7, 0x100, 1, 0, 0, 1)
    + labels("ok." + ALLOWED)
    + b"\0\1\0\1"
    + b"\0\0\x29\xff\xff\0\0\0\0\xff\xff",
    b"\xff" * 600,
    h(8, 0x2800, 1, 0, 0, 0) + labels(ALLOWED) + b"\0\6\0\1",
]
for b in bad:
    try:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.sendto(b, (SERVER, PORT))
        s.close()
    except OSError:
        pass
time.sleep(0.5)
os.environ["DEAD_IS_ESCAPE"] = "1"
escaped("resolver stopped answering after malformed input") if not alive() else blocked(
    "resolver still answers"
)

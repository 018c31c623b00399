#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One label that holds dots, so that the text of the name looks as if it ended in the allowed one."""
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
d = ALLOWED.encode()
got = []
for raw in ([b"x." + d], [b"evil", b"test\0." + d], [b"a", b"evil." + d]):
    i, q = query(raw)
    if addrs(udp(q)):
        got.append(repr(raw))
escaped("answered: " + " ".join(got)) if got else blocked("labels are compared, not text")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E066-E068: names that only look allowed: no label boundary, allowed name as a prefix, trailing dots, other case.
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
got = []
for n in (
    "evil-" + ALLOWED,
    "evil" + ALLOWED,
    ALLOWED + ".evil.test",
    ALLOWED.replace(".", "-") + ".evil.test",
    ALLOWED.replace(".", "x", 1),
    "x." + ALLOWED + ".evil.test.",
):
    i, q = query(n)
    a = addrs(udp(q))
    if a:
        got.append(n)
escaped("answered: " + " ".join(got)) if got else blocked("REFUSED for all lookalikes")

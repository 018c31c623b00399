#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Class CHAOS and the opcodes STATUS, NOTIFY and UPDATE are no lookups of an address."""
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
got = []
for what, kw in (
    ("class CH", {"qclass": 3}),
    ("NOTIFY", {"flags": 0x2000}),
    ("UPDATE", {"flags": 0x2800}),
    ("STATUS", {"flags": 0x1000}),
):
    i, q = query("ok." + ALLOWED, **kw)
    if addrs(udp(q)):
        got.append(what)
escaped("answered: " + ", ".join(got)) if got else blocked("none is answered")

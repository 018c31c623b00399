#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E088: a forbidden name over TCP instead of UDP.
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
i, q = query("evil.test")
r = tcp(struct.pack("!H", len(q)) + q)
if isinstance(r, list) and any(addrs(x) for x in r):
    escaped("TCP query for evil.test was answered")
blocked("no answer over TCP (%s)" % (r if not isinstance(r, list) else "REFUSED"))

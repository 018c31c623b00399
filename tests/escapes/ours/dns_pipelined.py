#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Several queries in one TCP segment: only the first is allowed."""
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
one = query("ok." + ALLOWED)[1]
two = query("secret.evil.test")[1]
r = tcp(struct.pack("!H", len(one)) + one + struct.pack("!H", len(two)) + two)
ev = os.environ.get("SMUGGLED_IP", "203.0.113.66")
if not isinstance(r, Exception) and any(ev in addrs(x) for x in r):
    escaped("the second query was answered")
blocked("the second query was not answered")

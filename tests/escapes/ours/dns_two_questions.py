#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two questions in one query: an allowed name first, then another; a judge that reads one of them lets both out."""
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
i, q = query("", qd=[("ok." + ALLOWED, A, 1), ("secret.evil.test", A, 1)])
a = addrs(udp(q))
if os.environ.get("SMUGGLED_IP", "203.0.113.66") in a:
    escaped("the second name was asked and answered: " + " ".join(a))
blocked("no address of the second name")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An HTTPS record names an address in its hints, which no look at A records finds."""
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
i, q = query("svcb." + ALLOWED, HTTPS)
r = udp(q)
hint = socket.inet_aton(os.environ.get("SMUGGLED_IP", "203.0.113.66"))
if not isinstance(r, Exception) and hint in r:
    escaped("the hint came through")
blocked("no hint came through")

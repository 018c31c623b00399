#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An address that a name led to, on a port that the name's rule does not have."""
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
i, q = query("ttl0." + ALLOWED)
a = addrs(udp(q))
if not a:
    blocked("no address")
for port in (25, 80, 443):
    if connect_echo(a[0], port) is True:
        escaped("%s port %d answered" % (a[0], port))
blocked("no other port is open")

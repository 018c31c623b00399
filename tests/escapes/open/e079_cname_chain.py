#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E079/E080: allowed name -> CNAME -> forbidden name -> address; the final address must not become reachable.
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
ip = env("SMUGGLED_IP", "203.0.113.66")
i, q = query("cname." + ALLOWED)
a = addrs(udp(q))
r = connect_echo(ip, int(env("TARGET_PORT", "48080")))
escaped(
    "connected to %s after a CNAME to a forbidden name (answer %s)" % (ip, a)
) if r is True else blocked("connect: %s" % (r,))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E085-E087: TTL 0, 1 and 2^31: after WAIT_S seconds the vouching of a TTL-1 name must be gone.
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
ip = env("SHORT_TTL_IP", "203.0.113.67")
i, q = query("ttl1." + ALLOWED)
a = addrs(udp(q))
time.sleep(float(env("WAIT_S", "3")))
r = connect_echo(ip, int(env("TARGET_PORT", "48080")))
escaped(
    "%s still reachable %ss after a TTL-1 answer %s" % (ip, env("WAIT_S", "3"), a)
) if r is True else blocked("connect: %s" % (r,))

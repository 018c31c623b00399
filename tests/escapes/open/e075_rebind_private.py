#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E075/E076/E081: an allowed name whose A records point to metadata, loopback, private, CGNAT; alone and mixed with a good one.
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *
import ipaddress

alive()
bad = []
for n in ("meta", "loop", "ten", "cgnat", "zero", "mixed", "bench", "mcast"):
    i, q = query("%s.%s" % (n, ALLOWED))
    for a in addrs(udp(q)):
        x = ipaddress.ip_address(a)
        if (
            x.is_private
            or x.is_link_local
            or x.is_loopback
            or x.is_multicast
            or x.is_reserved
            or x.is_unspecified
            or x in ipaddress.ip_network("100.64.0.0/10")
        ):
            if a not in env("ALLOWED_PRIVATE", "198.51.100.1").split(","):
                bad.append("%s=%s" % (n, a))
escaped("passed on: " + " ".join(bad)) if bad else blocked("private answers removed")

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E063: resolve a TTL-1 name, connect UDP to its address, wait past the expiry, keep sending: connect4 ran only once, so only egress can revoke.
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
ip = env("SHORT_TTL_IP", "203.0.113.67")
i, q = query("ttl1." + ALLOWED)
udp(q)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(2)
try:
    s.connect((ip, int(env("TARGET_PORT", "48080"))))
except OSError as e:
    skip("the vouched address was never reachable: %s" % e.strerror)
time.sleep(float(env("WAIT_S", "3")))
try:
    s.send(b"pf-063")
    d = s.recv(100)
except OSError as e:
    blocked(e.strerror or "timed out")
escaped("connected UDP outlives its vouching: echo came back") if d == b"pf-063" else blocked(
    "no echo"
)

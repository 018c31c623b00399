#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E093: ask another resolver directly (UDP and TCP port 53 of TARGET_IP).
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

ip = env("TARGET_IP", "203.0.113.2")
i, q = query("evil.test")
r = udp(q, ip, 53)
if addrs(r):
    escaped("foreign resolver %s answered over UDP" % ip)
t = tcp(struct.pack("!H", len(q)) + q, ip, 53)
if isinstance(t, list) and any(addrs(x) for x in t):
    escaped("foreign resolver %s answered over TCP" % ip)
blocked("%s / %s" % (getattr(r, "strerror", r) or "timeout", t))

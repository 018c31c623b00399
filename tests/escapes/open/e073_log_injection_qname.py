#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E073/E227: a query name with quotes, newline and JSON; no forged audit line may appear (DNS_LOG is read by check_log.py, or here when readable).
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
i, q = query([b'x"}\n{"forged":true,"q":"y'] + [x.encode() for x in ALLOWED.split(".")])
udp(q)
time.sleep(0.3)
p = env("DNS_LOG", "")
if not p:
    blocked("sent; now run check_log.py on the audit log")
try:
    lines = open(p, "rb").read().split(b"\n")
except OSError as e:
    blocked("log not readable from here (%s); run check_log.py" % e.strerror)
escaped("forged line in the log") if any(l.startswith(b'{"forged"') for l in lines) else blocked(
    "no forged line"
)

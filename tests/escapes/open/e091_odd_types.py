#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# E091/E094: TXT, NULL, ANY and AXFR for an allowed name carry bulk data back (tunnel).
import os
import sys

sys.path.insert(0, os.environ["ESC_SRC"] + "/include")
from dnsc import *

alive()
got = []
for t, n in ((TXT, "TXT"), (NULL, "NULL"), (ANY, "ANY")):
    i, q = query("bulk." + ALLOWED, t)
    r = udp(q)
    if isinstance(r, bytes):
        rc, rr = parse(r)
        if any(x[1] in (TXT, NULL) for x in rr):
            got.append(n)
i, q = query(ALLOWED, AXFR)
r = tcp(struct.pack("!H", len(q)) + q)
if isinstance(r, list) and any(len(parse(x)[1]) > 2 for x in r):
    got.append("AXFR")
escaped("bulk record types answered: " + " ".join(got)) if got else blocked("REFUSED/NOTIMP")

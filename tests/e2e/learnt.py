#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""learnt.py POLICY EXPRESSION: exit 0 when it holds for a learnt policy.

In the expression `t` is the text, `p` the policy, `fs` its filesystem, `net` its allowOutbound.
"""
import json
import re
import sys

t = open(sys.argv[1]).read()
bare = re.sub(r"(?m)(?:^|(?<=[\s,]))//.*$", "", t)
p = json.loads(re.sub(r",(\s*[]}])", r"\1", bare))
names = {"t": t, "p": p, "fs": p.get("filesystem", {}),
         "net": p.get("network", {}).get("allowOutbound", [])}
if not eval("(" + sys.argv[2] + ")", names):
    sys.exit(t)

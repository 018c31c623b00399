#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record.py LOG EXPRESSION: exit 0 when a line of the record satisfies it.

In the expression `ev` is one line (a missing member is None) and `lines` is all of them.
"""
import json
import sys


class Line(dict):
    def __getattr__(self, key):
        return self.get(key)

    def text(self):
        return json.dumps(self)


lines = []
for raw in open(sys.argv[1], "rb"):
    try:
        lines.append(Line(json.loads(raw)))
    except ValueError as e:
        sys.exit(f"not JSON ({e}): {raw[:200]!r}")
for ev in lines:
    if eval("(" + sys.argv[2] + ")", {"ev": ev, "lines": lines}):
        sys.exit(0)
print(f"no line of {len(lines)} satisfies {sys.argv[2]}")
for ev in lines[-12:]:
    print(ev.text())
sys.exit(1)

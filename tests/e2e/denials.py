#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""denials.py LOG [EVENT:WHAT...]: prints what a session was refused; exit 1 when there is anything
but the named destinations, names and paths, or when no session ended."""
import json
import sys

ALSO = ("dns_strip", "degraded", "lost")
lines = [json.loads(line) for line in open(sys.argv[1], "rb")]
known = {tuple(word.split(":", 1)) for word in sys.argv[2:]}
denied = [ev for ev in lines if ev["event"].endswith("_deny") or ev["event"] in ALSO]
unexpected = [ev for ev in denied
              if not any((ev["event"], ev.get(key)) in known for key in ("name", "path", "dst"))]
for ev in unexpected:
    print(json.dumps({k: v for k, v in ev.items() if k not in ("v", "ts", "seq", "session", "advice")}))
if not any(ev["event"] == "session_end" for ev in lines):
    sys.exit("no session ended")
sys.exit(bool(unexpected))

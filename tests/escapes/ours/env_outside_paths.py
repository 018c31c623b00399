#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of the host's mounts and of the launcher's directories can be read in /proc/self/mountinfo."""
import os
import sys

secret = os.path.dirname(os.environ.get("SECRET_FILE", "/tmp/pf/out/secret.txt"))
text = open("/proc/self/mountinfo").read()
points = [line.split()[4] for line in text.splitlines()]
known = [p for p in points if p.startswith("/run") or p.startswith("/sys/fs")]
if known or secret in text:
    print("ESCAPED sees", ", ".join(sorted(known)[:4]) or secret)
    sys.exit(1)
print("BLOCKED only its own mounts are listed")

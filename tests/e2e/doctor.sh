#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold doctor` says what this host can enforce, found by trying.
. "$(dirname "$0")/lib.sh"

for fence in files view network 'unix sockets' 'system calls' cgroup limits 'file record'; do
	expect "doctor tells about: $fence" "$fence" bash -c "'$PINFOLD' doctor || true"
done
expect '--json is JSON with a state for each finding' '^ok$' python3 -c '
import json, subprocess, sys
out = json.loads(subprocess.run([sys.argv[1], "doctor", "--json"], stdout=subprocess.PIPE, text=True).stdout)
findings = out["findings"] if isinstance(out, dict) else out
assert len(findings) >= 4
assert all(f["state"] in ("ready", "partial", "missing") and f["fence"] and "detail" in f for f in findings), findings
assert all(f.get("fix") for f in findings if f["state"] == "missing"), findings
print("ok")' "$PINFOLD"
# Without the privilege nothing can be fenced, and doctor has to say so instead of guessing.
expect 'an unprivileged doctor names what is missing' 'missing' \
	bash -c "setpriv --reuid=$TENANT --regid=$TENANT --clear-groups '$PINFOLD' doctor || true"
expect 'it prints no colour into a pipe' '^0$' bash -c "'$PINFOLD' doctor | grep -c \$'\\e' || true"
# Other sessions of this host may be running: only what doctor makes is looked for.
expect 'doctor leaves nothing behind' '^$' bash -c "find /sys/fs/cgroup /sys/fs/bpf \\( -path '*pinfold*/doctor*' -o -path '/sys/fs/bpf/*pinfold*' \\) 2>/dev/null"

finish

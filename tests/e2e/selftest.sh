#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold selftest` tries an allowed and a forbidden action for every fence in a real session.
. "$(dirname "$0")/lib.sh"

selftest() { (cd "$WS" && "$PINFOLD" selftest "$@"); }
check 'selftest passes on this host' selftest
expect 'it lists what it tried' '(ok|pass|✓)' selftest
for fence in file network unix 'system call' name identity; do
	expect "it tries: $fence" "$fence" selftest
done
check 'it passes under a policy' selftest -p "$(policy '{"version": 1, "network": {"allowOutbound": ["api.test:443"]}}')"
# It must be able to fail: without privilege no session starts.
status 'it fails where no session can be confined' 125 \
	bash -c "cd '$WS' && setpriv --reuid=$TENANT --regid=$TENANT --clear-groups '$PINFOLD' selftest"
status 'a bad policy is a bad policy' 65 selftest -p "$(policy '{')"

finish

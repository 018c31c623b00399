#!/bin/bash
# SPDX-License-Identifier: MIT
# Nothing gets past the rules for commands behind a command that is approved, whatever the shell makes of it.
. "$(dirname "$0")/lib.sh"
judge=$(dirname "$PINFOLD")/tests/unit/test_agents_approval_evade
if [ ! -x "$judge" ]; then
	echo "Bail out! $judge is not built"
	exit 1
fi

if out=$(python3 "$e2e/shell_evades.py" "$judge" "$T" 2>&1); then
	plan_ok "what is allowed runs nothing else in bash and dash (${out##*$'\n'})"
else
	plan_not_ok 'what is allowed runs nothing else in bash and dash' "$out"
fi
finish

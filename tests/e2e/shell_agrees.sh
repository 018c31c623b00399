#!/bin/bash
# SPDX-License-Identifier: MIT
# What the shell reader takes apart is exactly what bash and dash run.
#
# Lines are generated; a program that records its arguments stands for every command.  A line that
# the reader doubts proves nothing and counts only so that most lines are not of that kind.
. "$(dirname "$0")/lib.sh"
reader=$(dirname "$PINFOLD")/tests/unit/test_agents_shell
if [ ! -x "$reader" ]; then
	echo "Bail out! $reader is not built"
	exit 1
fi

expect "the reader says how it reads a line" '^ok' \
	python3 "$e2e/shell_agrees.py" "$reader" "$T" --self-test
for shell in bash dash; do
	if out=$(python3 "$e2e/shell_agrees.py" "$reader" "$T" "$shell" "${LINES_MAX:-400}" 2>&1); then
		plan_ok "$shell runs what was taken apart (${out##*$'\n'})"
	else
		plan_not_ok "$shell runs what was taken apart" "$out"
	fi
done
finish

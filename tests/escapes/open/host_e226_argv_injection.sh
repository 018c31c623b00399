#!/bin/bash
# SPDX-License-Identifier: MIT
# E226 (runs OUTSIDE): start a command whose argument holds a quote, a newline and JSON; no forged line may appear in AUDIT_LOG.
: "${PF_WRAP:?}"; [ -f "$AUDIT_LOG" ] || { echo "SKIP no AUDIT_LOG"; exit 77; }
n=$(wc -c < "$AUDIT_LOG"); $PF_WRAP /bin/true $'x"}\n{"forged":true,"x":"' >/dev/null 2>&1; sleep 0.3
t=$(mktemp); tail -c +$((n+1)) "$AUDIT_LOG" > "$t"; [ -s "$t" ] || { rm -f "$t"; echo "SKIP the wrapper wrote nothing to AUDIT_LOG"; exit 77; }
python3 "$(dirname "$0")/../fixtures/check_log.py" "$t"; r=$?; rm -f "$t"; exit $r

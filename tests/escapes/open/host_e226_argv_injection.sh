#!/bin/bash
# SPDX-License-Identifier: MIT
# E226 (runs OUTSIDE): an argument holds a quote, a newline and JSON; no forged line may appear in
# AUDIT_LOG.
: "${PF_WRAP:?}"
[ -f "$AUDIT_LOG" ] || { echo "SKIP no AUDIT_LOG" && exit 77; }
before=$(wc -c <"$AUDIT_LOG")
$PF_WRAP /bin/true $'x"}\n{"forged":true,"x":"' >/dev/null 2>&1
new=$(mktemp)
trap 'rm -f "$new"' EXIT
tail -c +$((before + 1)) "$AUDIT_LOG" >"$new"
[ -s "$new" ] || { echo "SKIP the wrapper wrote nothing to AUDIT_LOG" && exit 77; }
python3 "$ESC_SRC/fixtures/check_log.py" "$new"

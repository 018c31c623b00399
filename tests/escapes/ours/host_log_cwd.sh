#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs OUTSIDE: the current directory's name holds a newline and JSON; no forged line may appear in AUDIT_LOG.
: "${PF_WRAP:?}"
[ -f "$AUDIT_LOG" ] || { echo "SKIP no AUDIT_LOG" && exit 77; }
before=$(wc -c <"$AUDIT_LOG")
dir=$WORKSPACE/$'d"}\n{"forged":true,"x":"'
mkdir -p "$dir"
chmod 777 "$dir"
cd "$dir" || exit 77
$PF_WRAP /bin/true >/dev/null 2>&1
cd / && rmdir "$dir"
new=$(mktemp)
trap 'rm -f "$new"' EXIT
tail -c +$((before + 1)) "$AUDIT_LOG" >"$new"
[ -s "$new" ] || { echo "SKIP the wrapper wrote nothing to AUDIT_LOG" && exit 77; }
python3 "$ESC_SRC/fixtures/check_log.py" "$new"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs OUTSIDE: arguments with invalid UTF-8, control bytes and line separators must leave clean lines.
: "${PF_WRAP:?}"
[ -f "$AUDIT_LOG" ] || { echo "SKIP no AUDIT_LOG" && exit 77; }
before=$(wc -c <"$AUDIT_LOG")
$PF_WRAP /bin/true $'\xff\xc0\xaf' $'\xed\xa0\x80' $'\e]0;x\a' $'\xe2\x80\xa8{"forged":true}' $'a\rb\fc' >/dev/null 2>&1
new=$(mktemp)
trap 'rm -f "$new"' EXIT
tail -c +$((before + 1)) "$AUDIT_LOG" >"$new"
[ -s "$new" ] || { echo "SKIP the wrapper wrote nothing to AUDIT_LOG" && exit 77; }
if LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' "$new"; then
	echo "ESCAPED control bytes stand in the record"
	exit 1
fi
python3 "$ESC_SRC/fixtures/check_log.py" "$new"

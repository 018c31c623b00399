#!/bin/bash
# SPDX-License-Identifier: MIT
# Descriptors run out while a pen is built: whatever the number that is left, the command does not start
# or is fenced, it is said, and nothing is left.
. "$(dirname "$0")/lib.sh"
need gcc prlimit

gcc -D_GNU_SOURCE -O1 -o "$T/fenced" "$e2e/fenced.c"
install -m 0755 "$T/fenced" "$WS/fenced"
echo secret >"$T/secret"
chmod 644 "$T/secret"
result=$WS/result
file=$(policy '{
	"version": 1, "workspace": "'"$WS"'",
	"filesystem": { "deny": ["'"$WS"'/denied", "**/.env"] },
	"network": { "allowOutbound": ["*.example.com:443"] }
}')
bad='' refused=0 ran=0
cd "$WS" || exit 1
for limit in $(seq 4 5 64) 96 128 256; do
	rm -f "$result"
	rc=0
	said=$(timeout 60 prlimit --nofile="$limit:$limit" "$PINFOLD" run -p "$file" --log "$LOG" -- \
		./fenced "$result" "$T/secret" 2>&1 </dev/null) || rc=$?
	what=$(cat "$result" 2>/dev/null)
	case $rc:$what in
	0:fenced) ran=$((ran + 1)) ;;
	0:* | *:?*) [ "$what" = fenced ] || bad="$bad; with $limit: exit $rc, '$what'" ;;
	# Before the program's own first line the loader of programs speaks.
	*) refused=$((refused + 1)) && [ -n "$said" ] || bad="$bad; with $limit: nothing was said" ;;
	esac
	case $rc in 124 | 134 | 139) bad="$bad; with $limit: exit $rc" ;; esac
done
check "few descriptors: the command does not start or is fenced" test -z "$bad"
[ -z "$bad" ] || echo "# $bad"
check "... both happened ($refused refused, $ran ran)" test "$refused" -gt 2 -a "$ran" -gt 1
check '... and nothing is left' bash -c "! grep -q ' $T' /proc/self/mountinfo && ! pgrep -f '^$T/|^./fenced $result' >/dev/null"
finish

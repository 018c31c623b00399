#!/bin/bash
# SPDX-License-Identifier: MIT
# The privileges of each process of a session are those that docs/threat-model.md lists, no more and no
# less; and the fences of the supervisor hold.
. "$(dirname "$0")/lib.sh"
need python3

file=$(policy '{
	"version": 1, "workspace": "'"$WS"'",
	"filesystem": { "deny": ["**/.env"] },
	"network": { "allowOutbound": [{ "host": "b.example.com:443", "verify": "sni" }] }
}')
# This command would be told to end with the script, so it ends by itself as well.
start_pen -p "$file" -- sh -c 'echo up >up; exec sleep 300'
check 'a session runs' until_true 30 test -e "$WS/up"

child_of() { # PID NAME
	local p
	for p in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
		[ "$(cat /proc/"$p"/comm)" != "$2" ] || echo "$p"
	done
}
as_listed() { check "the $1 has what is listed, and nothing else" python3 "$e2e/privileges.py" \
	"$top/docs/threat-model.md" "$1" "$2"; }

init=$(child_of "$pen_pid" pinfold)
as_listed supervisor "$pen_pid"
as_listed janitor "$(child_of "$pen_pid" pinfold-janitor)"
as_listed guard "$(child_of "$pen_pid" pinfold-guard)"
as_listed resolver "$(child_of "$pen_pid" pinfold-dns)"
as_listed relay "$(child_of "$pen_pid" pinfold-relay)"
as_listed init "$init"
as_listed command "$(child_of "$init" sleep)"

# It can't be asked to break out; so a helper of its own, started again, shows that it still can do
# what it keeps privileges for.
worker=$(child_of "$pen_pid" pinfold-dns)
kill -KILL "$worker"
another_worker() { local now; now=$(child_of "$pen_pid" pinfold-dns) && [ -n "$now" ] && [ "$now" != "$worker" ]; }
check 'a resolver that was killed is started again' until_true 30 another_worker
check '... under the filters of the supervisor and its own' until_true 30 bash -c \
	"grep -q '^Seccomp_filters:.4' /proc/$(child_of "$pen_pid" pinfold-dns)/status"
group=/sys/fs/cgroup$(sed -n "s/^0:://p" "/proc/$init/cgroup")
[ -d "$group" ] || group=$(find /sys/fs/cgroup -maxdepth 5 -path "*$(basename "$group")" | head -n 1)
end_pen
check 'the session ends, and its cgroup is gone' until_true 30 test ! -e "$group"
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold why` answers as the fences do.
. "$(dirname "$0")/lib.sh"
mkdir -p "$T/data/secret" && echo x >"$T/data/f" && echo x >"$T/data/secret/f"
chmod -R a+rwX "$T/data"
p=$(policy '{
	"version": 1,
	"filesystem": {
		"ro": ["'"$T"'/data"],
		"deny": ["'"$T"'/data/secret"]
	},
	"network": {
		"allowOutbound": ["api.test:443", "*.wild.test:443", "203.0.113.0/24:5432", "10.9.9.9:443", "ntp.test:123/udp"],
		"denyOutbound": ["bad.wild.test", "203.0.113.9"]
	}
}')
why() { (cd "$WS" && "$PINFOLD" why -p "$p" "$@"); }

table() { # CODE QUESTION
	local code
	while read -r code question; do
		[ -n "$code" ] || continue
		# shellcheck disable=SC2086
		status "why $question is $code" "$code" why $question
	done
}
table <<TABLE
0 connect api.test:443
77 connect api.test:8443
77 connect api.test:443/udp
77 connect other.test:443
0 connect API.TEST.:443
0 connect a.wild.test:443
0 connect a.b.wild.test:443
77 connect wild.test:443
77 connect xwild.test:443
77 connect wild.test.evil.test:443
77 connect bad.wild.test:443
0 connect 203.0.113.7:5432
77 connect 203.0.113.9:5432
77 connect 203.0.113.7:443
0 connect 10.9.9.9:443
77 connect 10.9.9.8:443
77 connect 169.254.169.254:80
77 connect 127.0.0.1:5432
77 connect [::ffff:169.254.169.254]:80
77 connect [64:ff9b::a9fe:a9fe]:80
0 connect ntp.test:123/udp
0 connect 203.0.113.9:53/udp
0 connect 192.0.2.1:53
77 connect other.test:53
0 resolve localhost
0 resolve app.localhost
77 connect localhost:5432
77 connect app.localhost:5432
0 resolve api.test
77 resolve other.test
77 resolve bad.wild.test
77 resolve metadata.google.internal
0 read $T/data/f
77 write $T/data/f
77 read $T/data/secret/f
0 write $WS/new
0 read /etc/passwd
77 read /etc/shadow
77 write /etc/passwd
0 exec /bin/sh
77 read /root/.ssh/id
77 unix /run/docker.sock
TABLE

expect 'a verdict names the rule' 'api\.test:443' why connect api.test:443
expect 'and where that rule stands' "$p:[0-9]+" why connect api.test:443
expect 'a denial says how to change it' 'allow' why connect other.test:443
expect 'it warns that an address admits other names' 'other name|any name|served there' why connect api.test:443
for question in 'connect api.test:443' 'connect other.test:443' "read $T/data/f" "read $T/data/secret/f"; do
	# shellcheck disable=SC2086
	expect "--json of $question has verdict, rule, origin, reason and fix" '^ok$' python3 -c '
import json, subprocess, sys
out = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True).stdout
answer = json.loads(out)
assert answer["verdict"] in ("allow", "deny", "ask"), answer
assert {"rule", "origin", "reason", "fix"} <= set(answer) and isinstance(answer["fix"], list), answer
print("ok")' "$PINFOLD" why --json -p "$p" $question
done
status 'a malformed question is a usage error' 64 why connect
status 'an unknown kind of question is a usage error' 64 why smell /etc
status 'a malformed destination is a usage error' 64 why connect api.test:99999
status 'a bad policy is a bad policy' 65 "$PINFOLD" why -p "$(policy '{')" connect api.test:443

# --- the fences agree ------------------------------------------------------------------------------
agree() { # read|write PATH
	local answer=denied verdict=denied
	why "$1" "$2" >/dev/null && verdict=ok
	[[ $(probe -p "$p" -- "$1" "$2") == ok* ]] && answer=ok
	if [ "$answer" = "$verdict" ]; then
		plan_ok "the file fence agrees about $1 $2"
	else
		plan_not_ok "the file fence agrees about $1 $2" "why says $verdict, the fence $answer"
	fi
}
for path in "$T/data/f" "$T/data/secret/f" /etc/passwd /etc/shadow /etc/hostname "$WS/probe" /proc/version; do
	agree read "$path"
	agree write "$path"
done

finish

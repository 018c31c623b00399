#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold why --last` explains what a session was refused last, from its record.
. "$(dirname "$0")/lib.sh"
lab

last() { "$PINFOLD" why --last "$@"; }
json() { # SENTENCE CODE EXPRESSION ARGUMENTS...: --json of it, as `a`
	local out rc=0
	out=$(last --json "${@:4}" 2>&1) || rc=$?
	if [ "$rc" -eq "$2" ] && python3 -c 'import json, sys
a = json.loads(sys.argv[1])
sys.exit(not eval("(" + sys.argv[2] + ")"))' "$out" "$3"; then
		plan_ok "$1"
	else
		plan_not_ok "$1" "exit $rc: $out"
	fi
}

pen -- sh -c 'python3 ./probe lookup other.test; python3 ./probe tcp 198.51.100.20 443; exit 3' >/dev/null
first=$(python3 -c 'import json, sys; print(json.loads(open(sys.argv[1]).readline())["session"])' "$LOG")
json 'the last denial is told as JSON' 77 \
	'a["verdict"] == "deny" and a["subject"] == "198.51.100.20:443" and a["event"] == "net_deny"
	and "198.51.100.20:443" in a["fix"][0] and "python3" in a["process"]' --log "$LOG"
expect 'and in words, with the rule to add' 'to change it:.*198\.51\.100\.20:443' last --log "$LOG"
p=$(policy '{"version": 1, "network": {"denyOutbound": ["198.51.100.0/24"]}, "audit": {"path": "'"$LOG"'"}}')
json 'with the policy the record is found and the rule has its place' 77 \
	"a['rule'] == '198.51.100.0/24' and a['origin'].startswith('$p:')" -p "$p"
json 'a policy that would allow it by now says so' 77 'a["allowedNow"]' --log "$LOG" --allow 198.51.100.20:443

pen -- sh -c 'exit 4' >/dev/null
json 'a failure without a denial is not ours' 79 \
	'a["verdict"] == "not_ours" and "status 4" in a["reason"] and a["rule"] is None' --log "$LOG"
json 'an older session can be named' 77 "a['session'] == '$first'" --log "$LOG" "$first"
expect 'what the record cannot know is said' 'pinfold why read' last --log "$LOG"

pen -p "$(policy '{"version": 1, "limits": {"timeout": "1s"}}')" -- sleep 60 >/dev/null
json 'a timeout is ours' 77 'a["rule"] == "limits.timeout"' --log "$LOG"

status 'a session that is not there is an error' 64 last --log "$LOG" 0123456789abcdef
status 'no record is an error' 64 last
status 'a record that is not there is an error' 64 last --log "$T/no-such-log"
status 'a question beside --last is an error' 64 last --log "$LOG" connect api.test:443
status '--log without --last is an error' 64 "$PINFOLD" why --log "$LOG" connect api.test:443

finish

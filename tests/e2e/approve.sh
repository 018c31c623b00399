#!/bin/bash
# SPDX-License-Identifier: MIT
# Commands that need approval wait for a person, are decided once, and leave nothing behind.
. "$(dirname "$0")/lib.sh"
own_state

c=$T/gateway.json
config() { # TIMEOUT
	cat >"$c" <<-CONFIG
		{ agents: { defaults: { workspace: "$WS", sandbox: { mode: "off" } } },
		  "exec-approvals": { autoApprove: ["true"], requireApproval: ["touch *"], deny: ["mkfs *"],
		                      approvalTimeout: $1 } }
	CONFIG
}
config 60000
run() { (cd "$WS" && exec "$PINFOLD" exec --config "$c" --session main --log "$LOG" --quiet -- "$@") </dev/null; }
# start NAME COMMAND...: waits in the background; its exit status will be in $T/NAME.
start() {
	local name=$1
	shift
	(
		run "$@" 2>"$T/$name.err"
		echo $? >"$T/$name"
	) &
	started+=($!)
}
ids() { "$PINFOLD" approve list --json | python3 -c 'import json,sys; [print(r["id"]) for r in json.load(sys.stdin)]'; }
waiting() { ids | grep -c .; }
until_waiting() { # N
	local i
	for i in $(seq 200); do
		[ "$(waiting)" -eq "$1" ] && return 0
		sleep 0.05
	done
	echo "$(waiting) wait, not $1"
	return 1
}
ended() { # NAME CODE
	local i
	for i in $(seq 200); do
		[ -s "$T/$1" ] && break
		sleep 0.05
	done
	[ "$(cat "$T/$1" 2>/dev/null)" = "$2" ] || { echo "$(cat "$T/$1" "$T/$1.err"), not $2"; return 1; }
}
nothing_left() { [ -z "$(ls -A /run/pinfold/approvals)" ] || ls -lR /run/pinfold/approvals; }
gone() { [ ! -e "$1" ]; }

status "what is approved in advance does not wait" 0 run true
status "what is denied does not wait either" 77 run mkfs x

start one touch "$WS/one"
check "what needs approval waits" until_waiting 1
check "and does not run meanwhile" gone "$WS/one"
id=$(ids)
expect "the list shows it to a person" "$id +main +host .*touch $WS/one" "$PINFOLD" approve list
expect "one can be shown" "command +touch $WS/one" "$PINFOLD" approve show "$id"
expect "with its rule" 'rule +touch \*' "$PINFOLD" approve show "$id"
"$PINFOLD" approve show --json "$id" >"$T/shown"
check "in JSON with argv, cwd, agent and session" python3 - "$T/shown" "$WS" <<'PY'
import json, sys
a = json.load(open(sys.argv[1]))
assert a["command"] == ["touch", sys.argv[2] + "/one"] and a["cwd"] == sys.argv[2], a
assert a["agent"] == "main" and a["session"] == "agent:main:main" and a["leftMs"] <= 60000, a
PY
expect "allowing says so" "allowed $id" "$PINFOLD" approve allow "$id"
check "the command runs then, and its status is exec's" ended one 0
check "it ran" test -e "$WS/one"
check "nothing is left of it" nothing_left
status "a decision is used once" 64 "$PINFOLD" approve allow "$id"
logged "the record has the request" 'ev.event == "approval" and ev.result == "requested" and ev.id == "'"$id"'"'
logged "and the decision with its latency" 'ev.event == "approval" and ev.result == "granted" and ev.latencyMs >= 0 and ev.by'
logged "and the execution" 'ev.event == "tool_execution" and ev.approval["result"] == "approved" and ev.approval["required"]'

start again touch "$WS/one"
check "the same command waits again" until_waiting 1
"$PINFOLD" approve deny "$(ids)" >/dev/null
check "denied, it does not run" ended again 77
logged "the record says who denied" 'ev.event == "approval" and ev.result == "denied" and ev.by'

config 300
fresh_log
status "when nobody decides in time it is refused" 77 run touch "$WS/late"
check "and has not run" gone "$WS/late"
check "nothing is left of it" nothing_left
logged "the record says so" 'ev.event == "approval" and ev.result == "timed out" and ev.latencyMs >= 300'
config 60000

start term touch "$WS/term"
check "one that waits" until_waiting 1
kill -TERM "$("$PINFOLD" approve show --json "$(ids)" | python3 -c 'import json,sys; print(json.load(sys.stdin)["pid"])')"
check "can be ended" ended term 143
check "leaves nothing" nothing_left
start kill touch "$WS/killed"
check "another waits" until_waiting 1
id=$(ids)
kill -KILL "$("$PINFOLD" approve show --json "$id" | python3 -c 'import json,sys; print(json.load(sys.stdin)["pid"])')"
check "is killed" ended kill 137
status "and nobody can allow it any more" 64 "$PINFOLD" approve allow "$id"
check "it is not listed" until_waiting 0
check "nothing is left of it" nothing_left
check "it has not run" gone "$WS/killed"

# Two who decide at once: one wins, the other is told.
for i in 1 2 3 4 5 6; do
	rm -f "$T/race" "$WS/race"
	start race touch "$WS/race"
	until_waiting 1 >/dev/null
	id=$(ids)
	"$PINFOLD" approve allow "$id" >"$T/a" 2>&1 &
	a=$!
	"$PINFOLD" approve deny "$id" >"$T/b" 2>&1 &
	b=$!
	wait $a
	ra=$?
	wait $b
	rb=$?
	if [ "$ra" -eq 0 ]; then want=0; else want=77; fi
	check "of two decisions one counts ($i)" test "$((ra + rb))" -eq 64
	check "and it is what happens ($i)" ended race $want
done

start good touch "$WS/a b"
until_waiting 1
expect "allowing for good says so" 'for good' "$PINFOLD" approve allow --always "$(ids)"
check "it runs" ended good 0
status "and runs from now on" 0 run touch "$WS/a b"
start else touch "$WS/a" "b"
check "but not another one with the same text" until_waiting 1
"$PINFOLD" approve deny "$(ids)" >/dev/null
check "it is denied" ended else 77
(cd "$T" && "$PINFOLD" exec --config "$c" --session main --log "$LOG" --quiet -- touch "$WS/a b" </dev/null >/dev/null 2>&1) &
started+=($!)
check "nor the same in another directory" until_waiting 1
"$PINFOLD" approve deny "$(ids)" >/dev/null
wait $!
check "the list is root's alone" test "$(stat -c %a /var/lib/pinfold/always.jsonl)" = 600
check "and has it once" test "$(wc -l </var/lib/pinfold/always.jsonl)" -eq 1
logged "the record tells that the list allowed it" 'ev.event == "tool_execution" and (ev.approval.get("by") or "").startswith("always")'
chmod 666 /var/lib/pinfold/always.jsonl
start loose touch "$WS/a b"
check "a list that others can write allows nothing" until_waiting 1
"$PINFOLD" approve deny "$(ids)" >/dev/null
check "it waits as others do" ended loose 77
chmod 600 /var/lib/pinfold/always.jsonl

# At the terminal.
prompt() { # TYPED COMMAND...
	local typed=$1
	shift
	(cd "$WS" && python3 "$e2e/approve_prompt.py" 20 "$typed" "$PINFOLD" exec --config "$c" --session main \
		--log "$LOG" --quiet --ask -- "$@")
}
status "with --ask a person at the terminal can allow it" 0 prompt 'y\n' touch "$WS/asked"
check "then it runs" test -e "$WS/asked"
status "anything else is a no" 77 prompt '\n' touch "$WS/no"
status "so is a word that only begins like yes" 77 prompt 'yep\n' touch "$WS/no"
status "and the end of input" 77 prompt '\x04' touch "$WS/no"
check "then it does not run" gone "$WS/no"
expect "controls in the command are spelled out" "'a.x1b\\[2J'" prompt 'n\n' touch $'a\x1b[2J'
status "always is for good" 0 prompt 'a\n' touch "$WS/ever"
status "so that nobody is asked again" 0 run touch "$WS/ever"
logged "the record has the answer of the terminal" 'ev.event == "approval" and ev.id == "terminal" and ev.result == "granted"'
start unasked touch "$WS/queued"
check "without --ask it waits in the queue" until_waiting 1
"$PINFOLD" approve deny "$(ids)" >/dev/null
check "and is answered there" ended unasked 77

# Many at once.
many=${APPROVE_MANY:-60}
for i in $(seq "$many"); do start "m$i" touch "$WS/m$i"; done
check "$many wait at once" until_waiting "$many"
ids >"$T/ids"
check "each by an id of its own" test "$(sort -u "$T/ids" | wc -l)" -eq "$many"
while read -r id; do "$PINFOLD" approve allow "$id" >/dev/null || echo "not $id"; done <"$T/ids" >"$T/failed"
check "all are allowed" test ! -s "$T/failed"
all_ran() {
	local i
	for i in $(seq "$many"); do ended "m$i" 0 && [ -e "$WS/m$i" ] || { echo "m$i"; return 1; }; done
}
check "and run" all_ran
check "nothing is left" nothing_left

status "approve wants an action" 64 "$PINFOLD" approve
status "that it knows" 64 "$PINFOLD" approve perhaps x
status "and an id" 64 "$PINFOLD" approve allow
status "of something that waits" 64 "$PINFOLD" approve show aaaaaaaa
status "ids lead nowhere else" 64 "$PINFOLD" approve show ../../etc
chmod 755 /run/pinfold/approvals
status "a queue that others can look into is not used" 125 "$PINFOLD" approve list
status "by those who wait neither" 77 run touch "$WS/open"
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold log`: searching a record, counting it, and replaying it under another policy.
. "$(dirname "$0")/lib.sh"
need gzip xz zstd

R=$T/audit.jsonl
# line EVENT SESSION SECOND MEMBERS: one line of a record, at that second of an hour.
line() {
	printf '{"v":1,"ts":"2026-03-01T12:%02d:%02d.000000Z","seq":1,"event":"%s","session":"%s","agent":"%s"%s}\n' \
		$(($3 / 60)) $(($3 % 60)) "$1" "$2" "${5:-coder}" "${4:+,$4}"
}
deny='"verdict":"deny"'
make_record() {
	line session_start a1b2 1 '"argv":["npm","ci"],"policy":"/etc/pinfold/p.json"'
	line net_allow a1b2 2 '"pid":41,"comm":"node","dst":"198.51.100.10","port":443,"proto":"tcp","name":"api.test","op":"connect","rule":"api.test:443","origin":"p.json:3","reason":"name"'
	line net_deny a1b2 3 '"pid":41,"comm":"node","dst":"203.0.113.7","port":443,"proto":"tcp","op":"connect","reason":"unmatched",'"$deny"
	line net_deny a1b2 4 '"dst":"203.0.113.7","port":443,"proto":"tcp","op":"connect","reason":"unmatched","suppressed":5,'"$deny"
	line dns_deny c3d4 5 '"name":"Evil.Test","type":"A","reason":"unmatched",'"$deny" other
	line fs_deny c3d4 6 '"path":"/srv/secret/key","op":"fs.read_file","reason":"unmatched",'"$deny" other
	line net_deny c3d4 7 '"dst":"2001:db8::9","port":53443,"proto":"udp","op":"sendmsg","reason":"unmatched","verdict":"would_deny"' other
	line unix_deny c3d4 8 '"path":"/run/docker.sock","op":"connect","reason":"unix",'"$deny" other
	line session_end a1b2 9 '"exitCode":1'
}
make_record >"$R"
log() { PINFOLD_LOG=$R "$PINFOLD" log "$@"; }
# n SENTENCE COUNT FILTERS...: that many lines pass.
n() {
	local got
	got=$(log --json "${@:3}" 2>/dev/null | wc -l)
	if [ "$got" -eq "$2" ]; then plan_ok "$1"; else plan_not_ok "$1" "$got lines, not $2"; fi
}

# --- filters ----------------------------------------------------------------------------------------
check 'with --json all lines pass through as they are' cmp "$R" <(log --json)
n 'a session, by the beginning of its name' 5 --session a1
n 'two sessions' 9 --session a1b2 --session c3
n 'an agent' 4 --agent other
n 'no line of an agent that was never there' 0 --agent nobody
n 'an event' 3 --event net_deny
n 'events by a star' 6 --event '*_deny'
n 'a verdict' 5 --verdict deny
n 'what was only noticed' 1 --verdict would_deny
n 'what was allowed' 1 --verdict allow
n 'an address' 2 --dst 203.0.113.7
n 'an address with a port' 2 --dst 203.0.113.7:443
n 'not with another port' 0 --dst 203.0.113.7:80
n 'a CIDR' 2 --dst 203.0.113.0/24
n 'a CIDR of the other family' 1 --dst 2001:db8::/32
n 'an IPv6 address with port and protocol' 1 --dst '[2001:db8::9]:53443/udp'
n 'a destination by its name' 1 --dst api.test:443
n 'a name, whatever its case' 1 --name evil.test
n 'names by a star' 2 --name '*.test'
n 'a path and what is below' 1 --path /srv/secret
n 'not a path that only begins alike' 0 --path /srv/sec
n 'two filters together' 1 --session c3 --event net_deny
n 'since a time' 3 --since 2026-03-01T12:00:07Z
n 'since a time with an offset' 3 --since 2026-03-01T13:00:07+01:00
n 'until a time' 2 --until 2026-03-01T12:00:02Z
n 'since two hours ago there is nothing' 0 --since 2h
n 'since a date' 9 --since 2026-03-01
status 'a time that is none is refused' 64 log --since yesterday
status 'a verdict that is none is refused' 64 log --verdict denied
status 'a destination that is none is refused' 64 log --dst 203.0.113.7:99999
expect 'and the remedy is said' '2h, 1d12h' log --since yesterday
status 'a record that is not there is an error' 64 "$PINFOLD" log "$T/none"
expect 'with the remedy' 'set PINFOLD_LOG' "$PINFOLD" log "$T/none"
status 'as is a directory' 64 "$PINFOLD" log "$T"
status 'two files are an error' 64 log "$R" "$R"

# --- where the record is ----------------------------------------------------------------------------
n 'PINFOLD_LOG names it' 9
p=$(policy '{"version": 1, "audit": {"path": "'"$R"'"}}')
check 'so does a policy' cmp "$R" <(PINFOLD_LOG=/none "$PINFOLD" log --json -p "$p")
check 'and standard input' cmp "$R" <("$PINFOLD" log --json - <"$R")
status 'a wrong policy is exit 65' 65 log -p "$(policy '{"version": 9}')"

# --- for people -------------------------------------------------------------------------------------
cat >"$T/golden" <<'G'
TIME (UTC)           SESSION          AGENT        EVENT         VERDICT    WHO                WHAT
2026-03-01 12:00:01  a1b2             coder        session_start -          -                  /etc/pinfold/p.json
2026-03-01 12:00:02  a1b2             coder        net_allow     allow      node[41]           api.test 198.51.100.10:443/tcp  connect: name  by api.test:443
2026-03-01 12:00:03  a1b2             coder        net_deny      deny       node[41]           203.0.113.7:443/tcp  connect: unmatched
2026-03-01 12:00:04  a1b2             coder        net_deny      deny       -                  203.0.113.7:443/tcp  connect: unmatched  +5
2026-03-01 12:00:05  c3d4             other        dns_deny      deny       -                  Evil.Test: unmatched
2026-03-01 12:00:06  c3d4             other        fs_deny       deny       -                  /srv/secret/key  fs.read_file: unmatched
2026-03-01 12:00:07  c3d4             other        net_deny      would_deny -                  [2001:db8::9]:53443/udp  sendmsg: unmatched
2026-03-01 12:00:08  c3d4             other        unix_deny     deny       -                  /run/docker.sock  connect: unix
2026-03-01 12:00:09  a1b2             coder        session_end   -          -                  1
G
check 'a line is one row' diff "$T/golden" <(log)
expect 'on a terminal refusals are red' $'\033\\[31mdeny' script -qec "PINFOLD_LOG=$R $PINFOLD log" /dev/null
absent 'not with NO_COLOR' $'\033' <(NO_COLOR=1 script -qec "PINFOLD_LOG=$R $PINFOLD log" /dev/null)

# --- hostile records --------------------------------------------------------------------------------
{
	make_record
	line net_deny evil 10 '"name":"a\u001b[2Jb\u202ec","dst":"203.0.113.8","port":1,"proto":"tcp",'"$deny"
	line net_deny evil 11 '"name":"raw'$'\u202e\x7f\u009b''","dst":"203.0.113.8","port":1,"proto":"tcp",'"$deny"
	printf '{"v":1,"ts":"2026-03-01T12:00:12Z","event":"net_deny","name":"\033[2J"}\n'
	printf '{"v":1,"ts":"2026-03-01T12:00:12Z","event":"net_deny","event":"net_allow"}\n'
	printf '{"event":"net_allow"}\n{"v":1,"ts":"soon","event":"net_allow"}\n'
	printf '\xff\xfe\n[1]\nnot json\n{"v":1,"ts":"2026-03-01T12:00:12Z","event":"e"\n'
	head -c 9000 /dev/zero | tr '\0' x
	printf '\n{"v":1,"torn'
} >"$T/hostile"
check 'a hostile record is read to its end' "$PINFOLD" log "$T/hostile"
expect 'broken lines are counted' '7 lines of the record are broken' "$PINFOLD" log "$T/hostile"
expect 'forged lines are counted' '3 lines of the record were not written by pinfold' "$PINFOLD" log "$T/hostile"
absent 'no control and no mark reaches a terminal' $'[\x01-\x08\x0b-\x1f\x7f]|\u202e|\u009b' \
	<("$PINFOLD" log "$T/hostile" 2>&1)
absent 'with --json neither' $'[\x01-\x08\x0b-\x1f\x7f]|\u202e|\u009b' <("$PINFOLD" log --json "$T/hostile" 2>&1)
check 'and what was printed is JSON' python3 -c '
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1])]
assert len(lines) == 11 and lines[10]["name"] == "raw\u202e\x7f\u009b", lines[10]' \
	<("$PINFOLD" log --json "$T/hostile" 2>/dev/null)
absent 'nor with stats' $'[\x01-\x08\x0b-\x1f\x7f]|\u202e|\u009b' <("$PINFOLD" log stats "$T/hostile" 2>&1)

# --- rotated and compressed files -------------------------------------------------------------------
mkdir "$T/rot"
for i in 1 2 3 4 5 6; do line "e$i" s $((10 - i)) >"$T/rot/l.$i"; done
line e0 s 20 >"$T/rot/l"
gzip "$T/rot/l.3" && xz "$T/rot/l.4" && zstd -q --rm "$T/rot/l.5"
line e9 s 1 >"$T/rot/l-20260201" && gzip "$T/rot/l-20260201"
line no s 1 >"$T/rot/l.1.bak"
line no s 1 >"$T/rot/l.d"
gzip -c "$T/rot/l.2" >"$T/rot/l.2.gz"
order() { "$PINFOLD" log --json "$@" | sed 's/.*"event":"\([^"]*\)".*/\1/' | tr '\n' ' '; }
expect 'rotated files are read first, oldest first, each once' '^e9 e6 e5 e4 e3 e2 e1 e0 $' order "$T/rot/l"
expect 'with --only they are not' '^e0 $' order --only "$T/rot/l"
expect 'a compressed file can be named' '^e3 $' order "$T/rot/l.3.gz"
rm "$T/rot/l"
expect 'a record that was just rotated away is found' 'e2 e1 $' order "$T/rot/l"
make_record | gzip | head -c 200 >"$T/cut.gz"
expect 'a compressed file that was cut is told' 'ends too early or is damaged' "$PINFOLD" log "$T/cut.gz"
mkdir "$T/fake" && printf '#!/bin/sh\necho wrong\n' >"$T/fake/gzip" && chmod 755 "$T/fake/gzip"
faked() { PATH=$T/fake:$PATH order "$T/rot/l.3.gz"; }
expect 'PATH does not choose the program' '^e3 $' faked

# --- following --------------------------------------------------------------------------------------
F=$T/follow
line e1 s 1 >"$F"
"$PINFOLD" log --follow --json "$F" >"$T/out" 2>"$T/err" &
follower=$!
started+=("$follower")
saw() { grep -q "\"event\":\"$1\"" "$T/out"; }
check 'what is there is printed' until_true 5 saw e1
line e2 s 2 >>"$F"
check 'what is appended is printed' until_true 5 saw e2
printf '%s' "$(line e3 s 3)" >>"$F"
sleep 0.6
check 'half a line waits for its end' test "$(grep -c e3 "$T/out")" -eq 0
echo >>"$F"
check 'and is printed then' until_true 5 saw e3
mv "$F" "$F.1"
line e4 s 4 >>"$F.1"
line e5 s 5 >"$F"
check 'a rotation is noticed' until_true 5 saw e5
check 'and the old file read to its end' saw e4
cp "$F" "$F.2" && : >"$F"
sleep 0.6
line e6 s 6 >>"$F"
check 'a file that was cut is read from its start' until_true 5 saw e6
check 'each line came once' test "$(sort "$T/out" | uniq -d | wc -l)" -eq 0
kill "$follower"
wait "$follower" 2>/dev/null
status 'standard input is not followed' 64 "$PINFOLD" log --follow -

# --- counts -----------------------------------------------------------------------------------------
p=$(policy '{"version": 1, "workspace": "'"$WS"'", "network": {"allowOutbound":
	["api.test:443", "unused.test:443", "203.0.113.7:443"], "denyOutbound": ["never.test"]}}')
stats() { log stats --json -p "$p" | python3 -c 'import json, sys; o = json.load(sys.stdin); assert '"$1"', o'; }
check 'stats count verdicts, folded ones too' stats 'o["verdicts"] == {"deny": 9, "would_deny": 1, "allow": 1}'
check 'the most refused destination comes first' stats 'o["refused"]["destinations"][0]["host"] == "203.0.113.7" and o["refused"]["destinations"][0]["port"] == 443 and o["refused"]["destinations"][0]["count"] == 6'
check 'reached destinations go by their name' stats 'o["reached"]["destinations"][0]["host"] == "api.test"'
check 'refused names' stats 'o["refused"]["names"][0]["name"] == "Evil.Test"'
check 'refused paths and sockets' stats 'o["refused"]["paths"][0]["path"] == "/srv/secret/key" and o["refused"]["sockets"][0]["path"] == "/run/docker.sock"'
check 'entries that decided nothing' stats '[u["rule"] for u in o["unusedRules"]] == ["unused.test:443", "never.test"]'
cat >"$T/golden" <<'G'
9 lines of 2 sessions, 2026-03-01T12:00:01Z to 2026-03-01T12:00:09Z
9 refused, 1 would have been refused, 1 allowed

refused destinations
         6  203.0.113.7:443/tcp  unmatched
         1  [2001:db8::9]:53443/udp  unmatched

refused names
         1  Evil.Test  unmatched

refused files
         1  /srv/secret/key  fs.read_file  unmatched

refused unix sockets
         1  /run/docker.sock  unix

reached destinations
         1  api.test:443/tcp

entries that decided
         1  api.test:443  p.json:3

agents
         9  coder
         4  other

entries of the policy that decided nothing
  network.allowOutbound  unused.test:443  POLICY:2 (network.allowOutbound[1])
  network.denyOutbound  never.test  POLICY:2 (network.denyOutbound[0])
G
plain() { log "$@" | sed "s|$p|POLICY|g"; }
check 'the same for people' diff "$T/golden" <(plain stats -p "$p")

# --- replay -----------------------------------------------------------------------------------------
replay() { log replay --json "$p" | python3 -c 'import json, sys; o = json.load(sys.stdin); assert '"$1"', o'; }
status 'a replay that changes something is exit 1' 1 log replay "$p"
check 'what would newly be allowed' replay '[(c["kind"], c["subject"], c["count"]) for c in o["newlyAllowed"]] == [("connect", "203.0.113.7:443", 6)]'
check 'with the entry' replay 'o["newlyAllowed"][0]["rule"] == "203.0.113.7:443" and "allowOutbound[2]" in o["newlyAllowed"][0]["origin"]'
cat >"$T/golden" <<'G'
newly allowed
+ connect  203.0.113.7:443  x6
             an entry of allowOutbound names it: "203.0.113.7:443", POLICY:2 (network.allowOutbound[2])

still denied
= connect  [2001:db8::9]:53443/udp  x1
             no entry of allowOutbound matches
= file     /srv/secret/key  fs.read_file  x1
             nothing grants that path
= resolve  evil.test  x1
             no entry of allowOutbound matches that name
= unix     /run/docker.sock  x1
             only sockets in the session's own writable trees are within reach

unchanged: 1 allowed, 4 denied; not judged: 0
G
check 'the same for people' diff "$T/golden" <(plain replay "$p")
check 'what stays' replay 'o["unchanged"] == {"allowed": 1, "denied": 4}'
p=$(policy '{"version": 1, "workspace": "'"$WS"'", "filesystem": {"ro": ["/srv/secret"]}, "unixSockets": {"allow": ["/run/docker.sock"]}, "network": {"allowOutbound": ["evil.test"]}}')
check 'what would newly be denied' replay '[c["subject"] for c in o["newlyDenied"]] == ["api.test:443"]'
check 'names, files and sockets are judged' replay 'sorted(c["kind"] for c in o["newlyAllowed"]) == ["file", "resolve", "unix"]'
p=$(policy '{"version": 1, "workspace": "'"$WS"'", "network": {"allowOutbound": ["api.test:443"]}}')
status 'a replay that changes nothing is exit 0' 0 log replay "$p"
expect 'and says so' 'nothing changes' log replay "$p"
status 'a wrong policy is exit 65' 65 log replay "$(policy '{"version": 9}')"
status 'without a policy it is a usage error' 64 log replay
finish

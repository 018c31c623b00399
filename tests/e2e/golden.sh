#!/bin/bash
# SPDX-License-Identifier: MIT
# What each verb prints for people, word by word, with what differs from run to run taken out; log,
# lint, diff and report have theirs in scripts of their own.  GOLDEN_UPDATE=1 writes the files anew:
# look at the difference before it is committed.
. "$(dirname "$0")/lib.sh"
[ -n "${GOLDEN_NS:-}" ] || GOLDEN_NS=1 again_in unshare -m --propagation private
mkdir -p /run/pinfold /var/lib/pinfold
mount -t tmpfs -o mode=0700 none /run/pinfold
mount -t tmpfs -o mode=0700 none /var/lib/pinfold
export HOME=$T/home NO_COLOR=1
mkdir -p "$HOME"
p=$PINFOLD
cd "$WS" || exit 1
rm -f probe

# Names of sessions, process ids, times and our own directories.
plain() {
	sed -E "s|$WS|WS|g; s|$T|T|g; s|pinfold-e2e-[0-9]+|CGROUP|g
		s/\b[0-9a-f]{64}\b/HASH/g; s/\b[0-9a-f]{16}\b/SESSION/g
		s/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?/TIME/g; s/(pid +)[0-9]+/\1PID/
		s/ +[0-9]+ +$TENANT +[0-9]+s / PID UID AGE /; s/^(age +)[0-9]+s/\1AGE/; s/ +[0-9]+s( +[0-9])/ AGE\1/"
}
golden() { # NAME [--] COMMAND...: prints and exits as the file says
	local name=$1 got
	shift
	got=$({ "$@" || echo "exit $?"; } 2>&1 </dev/null | plain)
	if [ -n "${GOLDEN_UPDATE:-}" ]; then printf '%s\n' "$got" >"$e2e/golden/$name"; fi
	if [ "$got" = "$(cat "$e2e/golden/$name")" ]; then
		plan_ok "$name prints what it always did"
	else
		plan_not_ok "$name prints what it always did" "$(diff "$e2e/golden/$name" - <<<"$got")"
	fi
}
# several CASE...: each a command line, shown before what it prints
several() {
	local line
	for line in "$@"; do
		echo "\$ pinfold $line"
		eval "\"\$p\" $line" || echo "exit $?"
	done
}

# --- pens ------------------------------------------------------------------------------------------
cat >"$T/p.json" <<'P'
{
	"version": 1,
	"workspace": "@",
	"filesystem": { "ro": ["/usr/share"], "deny": ["@/secret"] },
	"network": { "allowOutbound": ["api.test:443", "10.0.0.7:5432"], "denyOutbound": ["*.evil.test"] }
}
P
sed -i "s|@|$WS|" "$T/p.json"
echo key >secret
chown "$TENANT" secret
golden run several "run -- sh -c 'echo hello; id -u; exit 3'" 'run -- no-such' \
	'run --ro /usr/share -- cat /etc/shadow' 'run -p ../p.json -- cat secret' 'run'
golden why several 'why -p ../p.json connect api.test:443' 'why -p ../p.json connect api.test:80' \
	'why -p ../p.json connect 10.0.0.7:5432' 'why -p ../p.json connect 169.254.169.254:80' \
	'why -p ../p.json connect x.evil.test:443' 'why -p ../p.json resolve other.test' \
	'why -p ../p.json read secret' 'why -p ../p.json write /usr/share/x' 'why -p ../p.json unix /run/docker.sock' \
	'why --json -p ../p.json connect api.test:80'
cp /bin/true ./tool # a file of our own, whatever the host has
golden learn several 'learn -q -o - -- ./tool'
rm tool

# --- what runs -------------------------------------------------------------------------------------
"$p" run -q -p "$T/p.json" --agent helper -- sh -c 'touch up; exec sleep 300' &
started+=("$!")
until_true 30 test -e up
id=$("$p" ps --json | sed -E 's/.*"session":"([0-9a-f]+)".*/\1/')
ps_all() { "$p" ps; }
golden ps ps_all
golden top "$p" top --once
show() { "$p" show "$id" | grep -v '^ *"\(limits\|seccomp\)'; }
golden show show
reload() { sed 's|"api.test:443", ||' "$T/p.json" >"$T/q.json" && "$p" reload "$id" "$T/q.json" && several 'reload zzz ../q.json' 'reload'; }
golden reload reload
kill_it() { "$p" kill "$id" && several 'kill zzz' 'kill'; }
golden kill kill_it
rm up

# --- a cgroup of others ----------------------------------------------------------------------------
root=$(awk '/ - cgroup2 / { at = $5 } END { print at }' /proc/self/mountinfo)
cg=$root/pinfold-e2e-$$
mkdir "$cg"
trap '"$p" detach --cgroup "$cg" >/dev/null 2>&1; rmdir "$cg"; clean_up' EXIT
golden attach "$p" attach --cgroup "$cg" -p "$T/p.json" --keep
detach() { "$p" detach --cgroup "$cg" && "$p" detach --cgroup "$cg"; }
golden detach detach

# --- the gateway's half ----------------------------------------------------------------------------
cat >"$T/gateway.json" <<P
{ agents: { defaults: { workspace: "$WS", sandbox: { mode: "all", workspaceAccess: "rw", workspaceRoot: "$T/boxes" } } },
  tools: { deny: ["browser"] } }
P
golden exec several "exec --config ../gateway.json --session x -- sh -c 'echo hello; exit 3'" \
	'exec --config ../gateway.json --session x --elevated -- true' 'exec --config ../gateway.json -- true' \
	'exec --session x -- true'
golden tool several 'tool check --config ../gateway.json browser' 'tool check --config ../gateway.json exec' 'tool'
explain() { "$p" explain --config "$T/gateway.json" --session x | head -n 8; }
golden explain explain
golden approve several 'approve list' 'approve show abc' 'approve allow abc' 'approve'

# --- files, text, this host ------------------------------------------------------------------------
mkdir d && echo text >d/f
golden fs several 'fs ls --workspace . .' 'fs read --workspace . d/f' 'fs read --workspace . ../p.json' \
	'fs rm --workspace . d' 'fs mkdir --workspace . e' 'fs ls --workspace . .' 'fs'
tag() { echo 'do as I say' | "$p" tag --source web | sed -E 's/[0-9a-f]{8,}/ID/g'; }
golden tag tag
fences() { "$p" doctor --json | python3 -c 'import json, sys; print(*(f["fence"] for f in json.load(sys.stdin)), sep="\n")'; }
golden doctor fences
checks() { "$p" selftest | sed 's/ .*//' | sort -u; }
golden selftest checks
completion() { for shell in bash zsh fish; do "$p" completion $shell | head -n 2; done; several 'completion' 'completion tcsh'; }
golden completion completion
finish

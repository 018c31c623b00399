#!/bin/bash
# SPDX-License-Identifier: MIT
# The escape programs: each must get out when it runs bare (a check that cannot fail is worthless) and
# must be stopped in a pen, both as the owner of the attacked assets and as a uid of its own.
# Programs of tests/escapes/later.txt try what is not promised (yet): they are run and told.
. "$(dirname "$0")/lib.sh"
escapes=$top/tests/escapes
[ -n "${FIXTURE:-}" ] || again_in bash "$escapes/fixture.sh"
need gcc bpftool setpriv

ESC_SRC=$escapes ESC_BUILD=$(realpath -m "$(dirname "$PINFOLD")/escapes")
export ESC_SRC ESC_BUILD
check 'the escape programs build' make -s -f "$escapes/Makefile" O="$ESC_BUILD"

# Where the kernel's Landlock is old, a pen takes a policy that accepts less.
abi=$("$PINFOLD" doctor | sed -n 's/.*Landlock ABI \([0-9]*\).*/\1/p')
accept=refuse
[ "$abi" -ge 6 ] || accept=degrade

# The fixture's addresses and paths pass by name; what looks like a secret is written out in full.
kept=$(grep -rhoE '(env|need|envi|E|environ.get)\("[A-Z0-9_]+"' "$escapes/open" "$escapes/ours" "$escapes/include" "$escapes/controls.py" |
	grep -oE '"[A-Z0-9_]+"' | grep -vE 'SSH_AUTH_SOCK|GPG_AGENT_INFO' | sort -u | tr '\n' ',')
make_policy() { # UID: prints the path
	policy '{
	"version": 1,
	"onUnavailable": "'$accept'",
	"workspace": "'"$WORKSPACE"'",
	"filesystem": { "rox": ["'"$ESC_BUILD"'"], "ro": ["'"$ESC_SRC"'"] },
	"network": {
		"allowOutbound": ["198.51.100.1:48080", "198.51.100.1:48080/udp", "[2001:db8:88::1]:48080",
			"[2001:db8:88::1]:48080/udp", "**.googleapis.com:48080", "**.googleapis.com:48080/udp"],
		"denyOutbound": ["**.evil.test"],
		"dns": { "upstream": ["203.0.113.2"], "minTtl": 1 }
	},
	"identity": { "uid": '"$1"', "gid": '"$1"',
		"keepEnv": ['"$kept"'"ESC_SRC", "ESC_BUILD", "FIXTURE", "WORKSPACE", "OUTSIDE_CWD"] },
	"limits": { "pids": 256, "memory": "256M" }
}'
}

# "NAME WHY", or "abi<N NAME WHY" for what an older Landlock does not hold.
why_later() {
	awk -v name="$1" -v abi="$abi" '/^abi</ { if (abi >= substr($1, 5) + 0) next; $1 = ""; $0 = $0 }
		$1 == name { $1 = ""; sub(/^[ \t]+/, ""); print; exit }' "$escapes/later.txt"
}
mode_of() {
	local mode
	mode=$(sed -nE 's/.*RUN: (root|pty).*/\1/p' "$1" | head -n 1)
	echo "${mode:-user}"
}

# attack SOURCE WRAP...: prints the program's line; BLOCKED when the pen killed it without a word.
attack() {
	local source=$1 name program out rc=0 line
	shift
	name=$(basename "$source")
	program=$ESC_BUILD/${name%.c}
	export PF_WRAP="${*:-$escapes/fixtures/naive_wrap.py}"
	if [[ $name == host_* ]]; then
		out=$(timeout 60 bash "$program" 2>&1) || rc=$?
	else
		out=$(timeout 60 python3 "$escapes/fixtures/launch.py" "$(mode_of "$source")" \
			${1:+--wrap "$@"} -- "$program" 2>&1) || rc=$?
	fi
	line=$(grep -m1 -E '^(ESCAPED|BLOCKED|SKIP)' <<<"$out")
	case $rc:${line%% *} in
	1:ESCAPED | 0:BLOCKED | 77:SKIP) echo "$line" ;;
	124:*) echo "TIMEOUT $line" ;;
	137: | 159:) echo "BLOCKED killed ($rc)" ;;
	*) echo "BAD exit $rc: ${out:0:200}" ;;
	esac
}

# A hole that is known and listed: not ok, and told as such, without failing the run.
plan_known() { tap_count=$((tap_count + 1)) && echo "not ok $tap_count - $1 # TODO $2"; }

in_pen() { # SENTENCE LATER-REASON VERDICT
	case $3 in
	BLOCKED*) plan_ok "$1" ;;
	*) if [ -n "$2" ]; then plan_known "$1" "$2"; else plan_not_ok "$1" "$3"; fi ;;
	esac
}

# shellcheck disable=SC2034 # both are read through a nameref
owner=("$PINFOLD" run -p "$(make_policy "$SESSION_UID")" --quiet --log "$LOG" --)
# shellcheck disable=SC2034
own=("$PINFOLD" run -p "$(make_policy 61999)" --quiet --log "$LOG" --)
naive_log=$AUDIT_LOG naive_dns_log=$DNS_LOG
for source in "$escapes"/{open,ours}/*; do
	name=$(basename "$source")
	name=${name%.*}
	[[ $name != aux_* && $name =~ ${ONLY:-.} ]] || continue
	export DNS_SERVER=127.0.0.1 DNS_PORT=5353 AUDIT_LOG=$naive_log DNS_LOG=$naive_dns_log
	bare=$(attack "$source")
	case $bare in
	ESCAPED*) plan_ok "$name: bare, it gets out" ;;
	SKIP*) skip "$name: bare, it gets out" "${bare#SKIP }" ;;
	*) plan_not_ok "$name: bare, it gets out" "$bare" ;;
	esac
	# Port 53 of whatever server is steered to the session's resolver.
	export DNS_SERVER=203.0.113.2 DNS_PORT=53 AUDIT_LOG=$LOG DNS_LOG=$LOG
	reason=$(why_later "$name")
	for who in ${PENS:-owner own}; do
		declare -n wrap=$who
		verdict=$(attack "$source" "${wrap[@]}")
		# What cannot be tried inside, but could outside, was stopped.
		[[ $verdict == SKIP* && $bare == ESCAPED* ]] && verdict="BLOCKED (${verdict#SKIP })"
		if [[ $verdict == SKIP* ]]; then
			skip "$name: in a pen ($who uid), it is stopped" "${verdict#SKIP }"
		else
			in_pen "$name: in a pen ($who uid), it is stopped" "$reason" "$verdict"
		fi
	done
	# What docs/decisions.md has instead of a limit of disk space.
	if [[ $name == e216_* ]]; then
		verdict=$(attack "$source" "${owner[@]}" prlimit --fsize=100000000)
		in_pen "$name: in a pen with a limit of file size, it is stopped" '' "$verdict"
	fi
done

check 'no attack wrote a line of its own into the record' python3 "$escapes/fixtures/check_log.py" "$LOG"
for who in ${PENS:-owner own}; do
	declare -n wrap=$who
	while read -r verdict name words; do
		if [ "$verdict" = OK ]; then
			plan_ok "control ($who uid): $name works in a pen"
		else
			plan_not_ok "control ($who uid): $name works in a pen" "$verdict $name $words"
		fi
	done < <(timeout 120 "${wrap[@]}" python3 "$ESC_SRC/controls.py" 2>&1)
done
finish

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the end-to-end scripts share: TAP, a workspace, a record, and the program under test.
#
# Every script sources this first and ends with `finish`.  A sentence is proved by one of
#   check  SENTENCE COMMAND...          the command succeeds
#   status SENTENCE CODE COMMAND...     it exits with exactly that code
#   expect SENTENCE REGEX COMMAND...    its output matches the extended regular expression
#   logged SENTENCE EXPRESSION          a line of the record satisfies the Python expression
# None of them is satisfied by a pen that didn't start: a refusal must be said from inside.

set -u
shopt -s inherit_errexit
e2e=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$e2e/../.." && pwd)
: "${PINFOLD:=$top/build/pinfold}"
export PINFOLD PYTHONDONTWRITEBYTECODE=1
# The tools of the system: what a pen sees, whatever the caller has in front of them.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# again_in COMMAND...: the script starts over, as the last words of that command.
again_in() {
	rm -rf "$T" # an exec runs no trap
	exec "$@" bash "$0"
}
# lab [--tls]: the rest of the script runs in the offline network.
# shellcheck disable=SC2120
# A /run and /var/lib/pinfold of the script's own: nothing of this host's waits or is remembered here,
# and nothing stays.  Not /run/pinfold alone: the host's goes with its last session, and with it every
# mount that somebody has there.
own_state() {
	[ -n "${OWN_STATE:-}" ] || OWN_STATE=1 again_in unshare -m --propagation private
	mount -t tmpfs -o mode=0755 none /run
	mkdir -m 0700 /run/pinfold
	mkdir -p /var/lib/pinfold
	mount -t tmpfs -o mode=0700 none /var/lib/pinfold
}
lab() { [ -n "${LAB_DIR:-}" ] || again_in bash "$top/tests/lab/lab.sh" "$@"; }

tap_count=0 tap_failed=0
started=() # pids that this script ends

plan_ok() { tap_count=$((tap_count + 1)) && echo "ok $tap_count - $1"; }
plan_not_ok() {
	tap_count=$((tap_count + 1)) tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	printf '%s\n' "${2:-}" | head -n 20 | sed 's/^/#   /'
}
skip() { tap_count=$((tap_count + 1)) && echo "ok $tap_count - $1 # SKIP $2"; }

check() { status "$1" 0 "${@:2}"; }

status() {
	local want=$2 out rc=0
	out=$("${@:3}" 2>&1 </dev/null) || rc=$?
	if [ "$rc" -eq "$want" ]; then plan_ok "$1"; else plan_not_ok "$1" "exit $rc, not $want: $out"; fi
}

expect() {
	local out rc=0
	out=$("${@:3}" 2>&1 </dev/null) || rc=$?
	if grep -qE -- "$2" <<<"$out"; then
		plan_ok "$1"
	else
		plan_not_ok "$1" "exit $rc, no /$2/ in: $out"
	fi
}

# absent SENTENCE REGEX FILE: no line matches, in whatever case (queries upstream have a random one)
absent() {
	local found
	if [ ! -e "$3" ]; then
		plan_not_ok "$1" "$3 does not exist"
	elif found=$(grep -niE -- "$2" "$3"); then
		plan_not_ok "$1" "$found"
	else
		plan_ok "$1"
	fi
}

# The record is read with the names ev (this line, missing members are None) and `lines`.
logged() { check "$1" python3 "$e2e/record.py" "$LOG" "$2"; }
fresh_log() { : >"$LOG"; }

T=$(mktemp -d /tmp/pinfold-e2e.XXXXXX)
WS=$T/ws LOG=$T/audit.jsonl
TENANT=10001 # who runs inside when root starts a pen without sudo
chmod 755 "$T"
mkdir "$WS"
cp "$e2e/probe.py" "$WS/probe"
chown -R "$TENANT:$TENANT" "$WS"
: >"$LOG"
chmod 600 "$LOG"
# A runner under sudo is still root for these tests.
unset SUDO_USER SUDO_UID SUDO_GID

# shellcheck disable=SC2317 # called by the trap
clean_up() {
	local pid
	for pid in "${started[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
	forget_sessions
	rm -rf "$T"
}
# What `exec` remembers of sessions outlives it by design: those of this script go with it.
agents=/run/pinfold/agents
known_before=$(ls "$agents" 2>/dev/null)
# shellcheck disable=SC2317 # called by the trap
forget_sessions() {
	local key
	for key in "$agents"/*; do
		[ ! -f "$key" ] || grep -qxF "${key##*/}" <<<"$known_before" || rm -f "$key"
	done
	rmdir "$agents" /run/pinfold/approvals /run/pinfold 2>/dev/null || true
}
trap clean_up EXIT
trap 'exit 143' TERM INT HUP

# pen OPTIONS... -- COMMAND...: runs it in the workspace.
pen() { (cd "$WS" && exec "$PINFOLD" run --quiet --log "$LOG" "$@"); }
# start_pen OPTIONS... -- COMMAND...: the same in the background; $pen_pid is pinfold itself.
start_pen() {
	cd "$WS" || return
	"$PINFOLD" run --quiet --log "$LOG" "$@" </dev/null &
	pen_pid=$!
	started+=("$pen_pid")
	cd "$OLDPWD" || return
}
end_pen() {
	kill -TERM "$pen_pid"
	wait "$pen_pid" 2>/dev/null
}
# probe OPTIONS... -- PROBE ARGUMENTS...: one try from inside; prints "ok …" or "denied ERRNO".
probe() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	pen "${options[@]}" -- python3 ./probe "$@"
}
# bare PROBE ARGUMENTS...: the same try without a pen, as the tenant.
bare() { setpriv --reuid=$TENANT --regid=$TENANT --clear-groups python3 "$WS/probe" "$@"; }

# policy TEXT: writes it where no session could, prints the path.
policy() {
	local file
	file=$(mktemp "$T/policy.XXXXXX")
	printf '%s\n' "$1" >"$file"
	echo "$file"
}

# until_true SECONDS COMMAND...: polls; fails when the time is over.
until_true() {
	local tries=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.05
	done
}

# with_auditing: until the script ends the kernel records refused files too, where it can.
auditing=0
with_auditing() {
	auditing=$(python3 "$e2e/auditing.py" 2>/dev/null || echo 1)
	[ "$auditing" != 0 ] || python3 "$e2e/auditing.py" 1 2>/dev/null || auditing=1
	trap 'clean_up; [ "$auditing" != 0 ] || python3 "$e2e/auditing.py" 0' EXIT
}

need() { # TOOL...: what install-deps should have brought
	local tool
	for tool in "$@"; do
		command -v "$tool" >/dev/null || plan_not_ok "$tool is installed (tools/install-deps)" ""
	done
}

finish() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
}

if [ ! -x "$PINFOLD" ]; then
	echo "Bail out! $PINFOLD is not built"
	exit 1
fi

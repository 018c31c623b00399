#!/bin/bash
# SPDX-License-Identifier: MIT
# What a newcomer reads when something is wrong: one line, with the culprit and the remedy, word by word.
. "$(dirname "$0")/lib.sh"

says() { # CODE LINE COMMAND...: exactly that line, and nothing else
	local out rc=0
	out=$(cd "$WS" && "${@:3}" 2>&1 </dev/null) || rc=$?
	out=${out//$T/T}
	if [ "$rc" -eq "$1" ] && [ "$out" = "pinfold: $2" ]; then
		plan_ok "$2"
	else
		plan_not_ok "$2" "exit $rc, not $1: $out"
	fi
}
p=$PINFOLD
run() { "$PINFOLD" run "$@" -- touch started; }
with() { # TEXT: a policy of that text
	printf '%s\n' "$1" >"$T/p.json"
	run -p "$T/p.json"
}
in_dir() { cd "$1" && "$PINFOLD" run -- touch started; }
in_removed_dir() {
	mkdir "$T/gone" && cd "$T/gone" && rmdir "$T/gone" && "$PINFOLD" run -- touch started
}
as_nobody() { setpriv --reuid=$TENANT --regid=$TENANT --clear-groups "$@"; }

# --- the command line ------------------------------------------------------------------------------
says 64 "no such verb 'runn'; did you mean 'run'?" "$p" runn
says 64 "no such verb 'rnu'; did you mean 'run'?" "$p" rnu
says 64 "no such verb 'make'; see 'pinfold --help'; to run a command: pinfold run -- make" "$p" make
says 64 "no such option '-p'; a verb comes first, its options behind it; see 'pinfold --help'" "$p" -p x run
says 64 "run: no such option '--alow'; did you mean '--allow'?" "$p" run --alow x -- true
says 64 "run: no such option '--bogus'; see 'pinfold run --help'" "$p" run --bogus -- true
says 64 "run: a value is missing after '--allow'; see 'pinfold run --help'" "$p" run --allow
says 64 "run: takes no value: '--quiet=1'; see 'pinfold run --help'" "$p" run --quiet=1 -- true
says 64 "run: no command; usage: pinfold run [options] -- COMMAND [ARGUMENT]..." "$p" run
says 64 "--keep-fd takes a descriptor from 3 to 1023, 32 at most" run --keep-fd x
says 125 "descriptor 99 is not open" run --keep-fd 99
says 64 "doctor: takes no words, but got 'x'; see 'pinfold doctor --help'" "$p" doctor x
says 64 "selftest: takes no words, but got 'x'; see 'pinfold selftest --help'" "$p" selftest x
says 64 "completion: name one shell: bash, zsh or fish" "$p" completion
says 64 "why: one question and its subject are wanted, such as 'connect example.org:443'; see 'pinfold why --help'" "$p" why connect
says 64 "why: no such question 'smell'; there are connect, resolve, read, write, exec, unix, tool and cmd" "$p" why smell x
says 64 "'x' is not HOST:PORT[/udp]" "$p" why connect x
says 64 "'a b' is not a name" "$p" why resolve 'a b'
says 64 "no record '/nonexistent/x': name one with --log, set PINFOLD_LOG, or give a policy that has audit.path (-p)" env PINFOLD_LOG=/nonexistent/x "$p" why --last
status 'help is a verb, too' 0 "$p" help
status 'version as well' 0 "$p" version

# --- rules -----------------------------------------------------------------------------------------
says 65 "command line: 'http://x.test/': a host is wanted, not a URL" run --allow http://x.test/
says 65 "command line: '99999' is no port (1 to 65535, or LOW-HIGH)" run --allow x.test:99999
says 125 "command line: '/no/such' does not exist; create it first" run --rw /no/such
says 125 "command line: 'no/such' does not exist" run --ro no/such
says 65 "command line: '/' can't be granted for writing: name the directories" run --rw /

# --- policies --------------------------------------------------------------------------------------
says 65 "cannot read the policy '/no/such.json': No such file or directory" run -p /no/such.json
says 65 "cannot read the policy 'T': Is a directory" run -p "$T"
says 65 "T/p.json:1:13: version: only the number 1 is known" with '{"version": 2}'
says 65 "T/p.json:1:27: netwrok: no such member" with '{"version": 1, "netwrok": {}}'
says 65 "T/p.json:1:45: network.allowOutbound: a list is wanted" \
	with '{"version": 1, "network": {"allowOutbound": "api.test"}}'
says 125 "workspace (T/p.json): '/no/such/ws' does not exist; create it first" \
	with '{"version": 1, "workspace": "/no/such/ws"}'
says 125 "T/p.json:1 (filesystem.ro[0]): '/no/such' does not exist" \
	with '{"version": 1, "filesystem": {"ro": ["/no/such"]}}'
says 125 "cannot start a process in the pen: Resource temporarily unavailable (is limits.pids too low?)" \
	with '{"version": 1, "limits": {"pids": 1}}'
chmod 600 "$T/p.json"
says 65 "cannot read the policy 'T/p.json': Permission denied" as_nobody "$p" run -p "$T/p.json" -- true

# --- the place -------------------------------------------------------------------------------------
says 125 "a pen takes root to start, CAP_SYS_ADMIN is missing: try sudo" as_nobody "$p" run -- true
says 125 "a pen takes root to start, CAP_SETUID is missing: this root has been stripped of it" \
	setpriv --bounding-set=-setuid --inh-caps=-setuid "$p" run -- true
says 65 "'/' can't be a workspace: a directory below it is wanted; cd into a project" in_dir /
says 65 "cannot tell the current directory: No such file or directory; cd into one that exists" in_removed_dir
says 125 "cannot open the directory of the record '/no/dir/log': No such file or directory; make it first" run --log /no/dir/log
says 125 "the record '/' is a directory; name a file in it" run --log /
says 65 "the log 'T/ws/log' lies where the session may write: 'T/ws', workspace (built-in); keep it outside of that" run --log "$WS/log"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$WS/s"
says 65 "T/p.json:1 (unixSockets.allow[0]): 'T/ws/s' lies in a writable tree, where the pen could put another socket in its place" \
	with '{"version": 1, "unixSockets": {"allow": ["'"$WS/s"'"]}}'
mkdir -m 700 "$T/private"
expect 'a workspace that the uid may not enter names both, and the remedy' \
	"^pinfold: cannot enter '$T/private' as uid $TENANT: .*; " in_dir "$T/private"
check 'and none of these commands ever started' test ! -e "$WS/started"

finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# `pinfold run` itself: the workspace, what is out of reach, exit codes, signals, terminals, help.
. "$(dirname "$0")/lib.sh"
need script python3

# --- the workspace -------------------------------------------------------------------------------
expect 'a command writes and reads in its workspace' '^hi$' pen -- sh -c 'echo hi > f; cat f'
check 'what it wrote is there for the host' grep -qx hi "$WS/f"
expect 'it starts in the directory of its caller' "^$WS\$" pen -- pwd
expect 'it runs as 10001, which needs no account' '^10001 10001$' pen -- sh -c 'echo $(id -u) $(id -g)'
expect 'it has no capability' '^CapEff:[[:space:]]*0+$' pen -- grep CapEff /proc/self/status
expect 'it has no new privileges' '^NoNewPrivs:[[:space:]]*1$' pen -- grep NoNewPrivs /proc/self/status
expect 'it holds only descriptors 0 to 2' '^ok 0 1 2$' probe -- fds
mkdir -p "$WS/sub" && chown "$TENANT" "$WS/sub"
expect 'a subdirectory of a granted tree may be the start' '^sub$' \
	bash -c "cd '$WS' && cd sub && '$PINFOLD' run --rw '$WS' -- sh -c 'basename \$(pwd)'"

# --- what is out of reach ------------------------------------------------------------------------
home=$T/home other=$T/other
mkdir -p "$home/.ssh" "$other"
echo key >"$home/.ssh/id"
echo private >"$other/file"
chmod -R a+rwX "$home" "$other" # so that file modes are not what refuses
refused='^denied (EACCES|ENOENT|EPERM|EROFS)$'
export HOME=$home
expect 'bare, the key of the launcher is readable' '^ok ' bare read "$home/.ssh/id"
expect 'inside, it is not' "$refused" probe -- read "$home/.ssh/id"
expect 'the home of the launcher is not writable' "$refused" probe -- write "$home/x"
expect "another user's files are not readable" "$refused" probe -- read "$other/file"
expect '/etc is not writable' "$refused" probe -- write /etc/x
expect '/usr is not writable' "$refused" probe -- write /usr/bin/x
expect '/etc/shadow is not readable' "$refused" probe -- read /etc/shadow
expect '/etc/passwd is readable' '^ok ' probe -- read /etc/passwd
expect 'the record is not readable' "$refused" probe -- read "$LOG"
expect 'the environment of the launcher is not readable' "$refused" probe -- read "/proc/$$/environ"
check 'nothing of that was written' test ! -e "$home/x" -a ! -e /etc/x -a ! -e /usr/bin/x

mkdir -p "$T/data" "$T/data/secret"
echo data >"$T/data/file"
echo secret >"$T/data/secret/file"
chmod -R a+rwX "$T/data"
expect '--ro makes a tree readable' '^ok ' probe --ro "$T/data" -- read "$T/data/file"
expect '--ro does not make it writable' "$refused" probe --ro "$T/data" -- write "$T/data/file"
expect '--rw makes it writable' '^ok ' probe --rw "$T/data" -- write "$T/data/file"
expect '--deny wins inside a granted tree' "$refused" \
	probe --rw "$T/data" --deny "$T/data/secret" -- read "$T/data/secret/file"
expect 'a symlink out of the workspace leads nowhere' "$refused" \
	pen -- sh -c "ln -s '$other/file' link && python3 ./probe read link"

# --- the environment -----------------------------------------------------------------------------
export API_TOKEN=hunter2 http_proxy=http://192.0.2.1:1 LD_LIBRARY_PATH=/tmp
expect 'no secret, proxy or loader variable of the launcher passes' '^ok none$' probe -- environ \
	API_TOKEN http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY LD_LIBRARY_PATH LD_PRELOAD
unset API_TOKEN http_proxy LD_LIBRARY_PATH
expect 'the session has a name' '^ok PINFOLD_SESSION$' probe -- environ PINFOLD_SESSION
expect 'TMPDIR is there and writable' '^(700|1777)$' \
	pen -- sh -c 'f=$(mktemp) && echo x > "$f" && stat -c %a "$TMPDIR"'

# --- exit codes ----------------------------------------------------------------------------------
status 'success is 0' 0 pen -- true
status "the command's own code is passed on" 7 pen -- sh -c 'exit 7'
status 'a command that does not exist is 127' 127 pen -- no-such-command
: >"$WS/plain" && chmod 644 "$WS/plain"
status 'a file that may not be executed is 126' 126 pen -- ./plain
for pair in TERM:143 KILL:137 HUP:129 ABRT:134; do
	status "a command killed by ${pair%:*} is ${pair#*:}" "${pair#*:}" \
		pen -- sh -c "kill -${pair%:*} \$\$; sleep 5"
done
status 'an unknown option is a usage error' 64 pen --no-such-option -- true
status 'an unknown verb is a usage error' 64 "$PINFOLD" no-such-verb
status 'no command is a usage error' 64 pen --
status 'no verb is a usage error' 64 "$PINFOLD"
status 'a malformed --allow is a bad policy' 65 pen --allow https://api.test -- touch started
bad=$(policy '{"version": 1, "netwrok": {}}')
status 'an unknown member of the policy is refused' 65 pen -p "$bad" -- touch started
expect 'and named with file, line and column' "$bad:1:[0-9]+" pen -p "$bad" -- touch started
for broken in '{' '' '[]' '{"version": 2}' '{"version": 1, "version": 1}' \
	'{"version": 1, "network": {"allowOutbound": [""]}}' \
	'{"version": 1, "network": {"allowOutbound": [","]}}' \
	'{"version": 1, "identity": {"uid": 0}}'; do
	status "refused as a policy: $broken" 65 pen -p "$(policy "$broken")" -- touch started
done
status 'a policy that is not there is refused' 65 pen -p "$T/none.json" -- touch started
status 'a policy that the session could write is refused' 65 \
	pen -p "$(p=$WS/p.json && echo '{"version": 1}' >"$p" && echo "$p")" -- touch started
check 'none of those started the command' test ! -e "$WS/started"
check 'an error is one line' bash -c "[ \"\$('$PINFOLD' run -p '$bad' -- true 2>&1 | wc -l)\" = 1 ]"

# --- signals -------------------------------------------------------------------------------------
# The command tells in a file which signal reached it.
cat >"$WS/trap" <<'S'
for s in INT TERM HUP USR1; do trap "echo $s > got; exit 3" $s; done
echo ready > ready
i=0; while [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done
S
signalled() { # NAME: sends it to pinfold, prints what the command saw and the exit code
	local rc=0 pid
	rm -f "$WS/got" "$WS/ready"
	# A background job of a script ignores INT; python restores the default first.
	(cd "$WS" && exec python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$PINFOLD" run -- sh ./trap) &
	pid=$!
	until_true 10 test -e "$WS/ready"
	kill -"$1" $pid
	wait $pid || rc=$?
	echo "$(cat "$WS/got") $rc"
}
for s in INT TERM HUP USR1; do
	expect "SIG$s to pinfold reaches the command" "^$s 3\$" signalled $s
done

# --- terminals -----------------------------------------------------------------------------------
expect 'a terminal is a terminal inside' 'yes' \
	script -qec "cd '$WS' && '$PINFOLD' run -- sh -c 'test -t 0 && echo yes'" /dev/null
expect 'the command has a controlling terminal' 'tty ok' \
	script -qec "cd '$WS' && '$PINFOLD' run -- sh -c 'echo tty ok > /dev/tty'" /dev/null
expect 'Ctrl-C, job control and the window size work on a terminal' '^ok$' \
	python3 "$e2e/terminal.py" "$PINFOLD" "$WS"
expect 'a pipe in and out works' '^HELLO$' \
	bash -c "cd '$WS' && echo hello | '$PINFOLD' run -- tr a-z A-Z"

# --- words ---------------------------------------------------------------------------------------
check '--version succeeds' "$PINFOLD" --version
expect '--version is a number' '^pinfold [0-9]+\.[0-9]+\.[0-9]+' "$PINFOLD" --version
check '--help succeeds' "$PINFOLD" --help
for verb in run why doctor selftest; do
	expect "$verb --help explains itself" "pinfold $verb" "$PINFOLD" $verb --help
	expect "--help lists $verb" "^ +$verb " "$PINFOLD" --help
done

finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# Observing lets through what a rule could open, records it as would_deny, and opens nothing else.
. "$(dirname "$0")/lib.sh"
lab

p=$(policy '{"version": 1, "network": {"allowOutbound": ["api.test:443"], "denyOutbound": ["198.51.100.11"]}}')
watch() { probe -p "$p" --observe -- "$@"; }
shut() { probe -p "$p" -- "$@"; }

both() { # SENTENCE PROBE...: refused without --observe, let through with it
	expect "without observing, $1 is refused" '^denied' shut "${@:2}"
	expect "observing, $1 is let through" '^ok' watch "${@:2}"
}
fresh_log
both 'an address of no rule' tcp 198.51.100.20 443
both 'an address that a deny names' tcp 198.51.100.11 443
both 'another port of an allowed name' tcp api.test 8443
both 'a name of no rule' tcp other.test 443
both 'private space' tcp 10.9.9.9 443
both 'a datagram' udp 198.51.100.20 443

would='ev.verdict == "would_deny"'
fresh_log
watch tcp other.test 443 >/dev/null
logged 'the name is recorded as would_deny, with advice' \
	"$would"' and ev.event == "dns_deny" and ev.name == "other.test" and "other.test" in ev.advice'
logged 'the destination too, with the name that led there' \
	"$would"' and ev.event == "net_deny" and ev.name == "other.test" and ev.port == 443 and "other.test:443" in ev.advice'
logged 'nothing is recorded as refused' 'not any(l.verdict == "deny" for l in lines)'
logged 'the start says that the session is observed' 'ev.event == "session_start" and ev.observe'
expect 'why --last tells it so' '^would_deny ' "$PINFOLD" why --last --log "$LOG"
fresh_log
watch tcp api.test 443 >/dev/null
logged 'what the policy allows is no denial' 'not any(l.verdict for l in lines)'
fresh_log
pen -p "$p" --observe -- python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("198.51.100.20", 443))
for i in range(2000): s.send(b"x")' >/dev/null
logged 'a flow is told once, not for each packet' 'sum(1 + (l.suppressed or 0) for l in lines if l.verdict) < 20'
fresh_log
pen -p "$p" --observe -- python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("198.51.100.20", 80))  # as resolvers do to sort addresses: nothing is sent' >/dev/null
logged 'a datagram socket that only connects is none' 'not any(l.verdict for l in lines)'

fresh_log
watch lookup absent.test >/dev/null
logged 'a name that nobody knows would be refused, too' "$would"' and ev.event == "dns_deny" and ev.name == "absent.test"'

# --- what stays shut -------------------------------------------------------------------------------
fresh_log
expect 'the metadata address stays shut' '^denied' watch tcp 169.254.169.254 80
expect 'its name does not resolve' '^denied' watch lookup metadata.google.internal
logged 'and that is a refusal' 'ev.event == "net_deny" and ev.verdict == "deny" and ev.reason == "metadata"'
open_metadata=$(policy '{"version": 1, "network": {"dangerouslyAllowMetadata": true, "allowOutbound": ["169.254.169.254:80"]}}')
expect 'metadata stays shut whatever the policy says of it' '^denied' \
	probe -p "$open_metadata" --observe -- tcp 169.254.169.254 80
# --- files: the same deeds, observed and enforced ------------------------------------------------
out=$T/outside
lay_out() { # the same ground for both
	rm -rf "$out" && mkdir -p "$out"/{ro,rox,rw,list,make-dir-again,remove-dir,enter} "$WS/.git"/{hooks,objects,refs}
	local f
	for f in read write append truncate create-again look rename-over remove rename-from mode times below-a-descriptor \
		relative through-a-symlink behind ro/ro-read ro/ro-write rox/rox-write rw/rw-remove rw/denied \
		rw-file rw-file-removed; do echo text >"$out/$f"; done
	mkdir "$out/ro/ro-list"
	printf '#!/bin/sh\nexit 0\n' | tee "$out/execute" "$out/ro/ro-execute" >"$out/rox/rox-execute"
	chmod 755 "$out/execute" "$out/ro/ro-execute" "$out/rox/rox-execute"
	ln -s behind "$out/symlink-outside"
	rm -f "$WS/taken" "$WS/inside" "$WS/inside-socket" "$WS/to-through-a-symlink"
	echo text >"$WS/plain" && ln -s "$out/through-a-symlink" "$WS/to-through-a-symlink"
	echo 'ref: refs/heads/main' >"$WS/.git/HEAD" && : >"$WS/.git/config" && rm -f "$WS/.git/hooks/hooks" "$WS/.git/index"
	cp "$e2e/deeds.py" "$WS/deeds"
	chown -R "$TENANT:$TENANT" "$out" "$WS"
	python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); time.sleep(600)' "$out/socket" &
	started+=($!)
	disown
	until_true 5 test -S "$out/socket" && chmod 777 "$out/socket"
}
files=$(policy '{"version": 1, "filesystem": {"ro": ["'"$out"'/ro"], "rox": ["'"$out"'/rox"],
	"rw": ["'"$out"'/rw", "'"$out"'/rw-file", "'"$out"'/rw-file-removed"], "deny": ["'"$out"'/rw/denied"]}}')
lay_out
fresh_log
pen -p "$files" --observe -- python3 ./deeds "$out" "$WS" >"$T/observed" 2>&1
cp "$LOG" "$T/observed.log"
lay_out
pen -p "$files" -- python3 ./deeds "$out" "$WS" >"$T/enforced" 2>&1

check 'observing, every deed but what is denied goes through' \
	diff <(sed -n 's/^no //p' "$T/observed") <(echo denied)
would_refuse() { # the deeds whose paths the record names
	python3 -c 'import json, os, sys
paths = [json.loads(line) for line in open(sys.argv[1])]
print("\n".join(sorted({os.path.basename(e["path"]) for e in paths if "path" in e and "verdict" in e} - {"behind"})))' "$T/observed.log"
}
check 'what would be refused is what is refused' diff <(would_refuse) <(sed -n 's/^no //p' "$T/enforced" | sort)
check 'and that is neither nothing nor everything' test "$(grep -c '^no' "$T/enforced")" -gt 20 -a "$(grep -c '^ok' "$T/enforced")" -gt 10
cp "$T/observed.log" "$LOG"
logged 'a read is recorded as Landlock would, with the process and what to add' 'ev.path == "'"$out"'/read" and
	ev.op == "fs.read_file" and ev.verdict == "would_deny" and ev.comm == "python3" and ev.uid == '"$TENANT"' and
	ev.advice == "to allow it add \"'"$out"'/read\" to filesystem.ro"'
logged 'so is a write' 'ev.path == "'"$out"'/write" and ev.op == "fs.write_file" and "filesystem.rw" in ev.advice'
logged 'so is an execution' 'ev.path == "'"$out"'/execute" and ev.op == "fs.execute" and "filesystem.rox" in ev.advice'
logged 'so is a listing' 'ev.path == "'"$out"'/list" and ev.op == "fs.read_dir"'
logged 'so is a removal' 'ev.path == "'"$out"'/remove" and ev.op == "fs.remove_file"'
logged 'so is a unix socket' 'ev.event == "unix_deny" and ev.path == "'"$out"'/socket" and ev.verdict == "would_deny" and "unixSockets.allow" in ev.advice'
expect 'why --last tells of files, too' '^would_deny .*protectGit|^would_deny ' "$PINFOLD" why --last --log "$T/observed.log"
logged 'what a deny covers is refused indeed' 'ev.path == "'"$out"'/rw/denied" and ev.verdict == "deny" and ev.rule == "'"$out"'/rw/denied"'
logged 'git'"'"'s configuration would be held' 'ev.path == "'"$WS"'/.git/config" and ev.reason == "protectGit"'

# --- secrets stay shut, wherever they are ------------------------------------------------------------
mkdir -p "$T/deep" && echo secret >"$T/deep/.env" && echo text >"$T/deep/.env.example" && chmod -R a+rwX "$T/deep"
fresh_log
expect 'a sensitive name is shut where nothing is granted, too' '^denied' watch read "$T/deep/.env"
logged 'and that is a refusal' 'ev.path == "'"$T"'/deep/.env" and ev.verdict == "deny" and ev.rule == "**/.env"'
expect 'its example is not' '^ok' watch read "$T/deep/.env.example"
expect 'it can'"'"'t be given another name' 'denied|Permission' pen -p "$p" --observe -- mv "$T/deep/.env" "$T/deep/other"
expect 'a link to it leads nowhere' 'Permission' pen -p "$p" --observe -- sh -c "ln -s '$T/deep/.env' l; cat l; rm l"
echo text >"$T/deep/.enw" && gcc -O1 -pthread -o "$WS/flip" "$e2e/flip.c"
expect 'a path that changes behind the observer opens no secret' '^secret 0 plain some' \
	pen -p "$p" --observe -- ./flip "$T/deep/.enw" "$T/deep/.env"
expect 'the shadow file stays shut' '^denied' watch read /etc/shadow
mkdir -p /run/pinfold
expect 'the place of the control sockets stays shut' '^denied|Permission' pen -p "$p" --observe -- ls /run/pinfold
expect 'the listener is not the command'"'"'s' '^0 1 2 ?3?$' pen -p "$p" --observe -- sh -c 'echo $(ls /proc/self/fd)'

# --- as the record has it, when the session reads and looks only ------------------------------------
echo text >"$T/deep/file" && chmod 666 "$T/deep/file"
fresh_log
watch read "$T/deep/file" >/dev/null
expect 'why --last says how a file that was read could be' 'filesystem\.ro' "$PINFOLD" why --last --log "$LOG"
fresh_log
pen -p "$p" --observe -- sh -c ": 1<>'$T/deep/file'" >/dev/null
expect 'and one that was written, too' 'filesystem\.rw' "$PINFOLD" why --last --log "$LOG"

# --- a program that is looked at works as ever -------------------------------------------------------
expect 'threads, children and signals work' '^55$' pen -p "$p" --observe -- python3 -c '
import os, signal, subprocess, threading
signal.signal(signal.SIGALRM, lambda *_: None)
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
seen = []
def look(i):
    seen.append(i if subprocess.run(["/bin/true"]).returncode == 0 and os.stat("/etc/passwd") else 0)
ts = [threading.Thread(target=look, args=(i,)) for i in range(11)]
[t.start() for t in ts]; [t.join() for t in ts]
print(sum(seen))'
status 'a killed child is no trouble' 0 pen -p "$p" --observe -- sh -c 'sh -c "while :; do ls >/dev/null; done" & sleep 0.2; kill -9 $!; wait; exit 0'

# --- a site policy bounds it ---------------------------------------------------------------------------
under_site() { # with a site policy that only this mount namespace has
	unshare --mount bash -c "mkdir -p '$T/etc/pinfold' && cp -a /etc/. '$T/etc/' &&
		mkdir -p '$T/etc/pinfold' && echo '{\"version\": 1}' >'$T/etc/pinfold/site.json' &&
		mount --bind '$T/etc' /etc && cd '$WS' && '$PINFOLD' run --observe -- touch started"
}
status 'a site policy forbids it' 65 under_site
check 'and the command does not start' test ! -e "$WS/started"

finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# attach: a fence around the network of cgroups that others made, of what was open in them before, of
# containers; it holds when its server dies, and goes when it is told to.
. "$(dirname "$0")/lib.sh"
lab
need curl dig python3 crun musl-gcc

# A container engine wants one hierarchy, at its usual place.  The lab's mounts are its own.
root=$(awk '/ - cgroup2 / { at = $5 } END { print at }' /proc/self/mountinfo)
[ "$root" = /sys/fs/cgroup ] || mount --bind "$root" /sys/fs/cgroup
# So are its control sockets: a directory of other people's making is not used.
mount -t tmpfs none /run
cgroups=() engine=crun
new_cgroup() { # NAME: $cg
	cg=/sys/fs/cgroup/pinfold-e2e-$$-$1
	mkdir "$cg"
	cgroups=("$cg" "${cgroups[@]}")
}
# shellcheck disable=SC2317 # called by the trap
clean_cgroups() {
	local c
	box delete -f box >/dev/null 2>&1
	for c in "${cgroups[@]}"; do
		"$PINFOLD" detach --cgroup "$c" >/dev/null 2>&1
		[ -e "$c" ] && echo 1 >"$c/cgroup.kill"
		until_true 3 rmdir "$c"
	done
	clean_up
}
trap clean_cgroups EXIT
# Without a word crun takes systemd for the one who makes cgroups, runc the file system.
box() { # COMMAND...: of a container engine, its state apart from the host's
	local words=()
	[ "$engine" = runc ] || words=(--cgroup-manager=cgroupfs)
	timeout 20 "$engine" --root "$T/engine-$engine" "${words[@]}" "$@" </dev/null
}

# shellcheck disable=SC2317
inside() { (echo "$BASHPID" >"$cg/cgroup.procs" && exec "$@"); } # COMMAND...: in $cg
fetch() { inside timeout 5 curl -sS -m 4 "$@"; }
reached() { grep -qx -- "$1" "$LAB_DIR/hits.log"; }
lookup() { inside dig +short +tries=1 +time=2 "$@"; }

policy=$(policy '{ workspace: "/srv", network: {
	allowOutbound: ["api.test:80", "api.test:5432", "203.0.113.7:8443"], denyOutbound: ["other.test"] } }')

# start_attach OPTIONS...: in the background, until the fence holds; $attach_pid.
start_attach() {
	: >"$T/attach.out"
	"$PINFOLD" attach --cgroup "$cg" -p "$policy" --log "$LOG" "$@" >"$T/attach.out" 2>"$T/attach.err" </dev/null &
	attach_pid=$!
	started+=("$attach_pid")
	# shellcheck disable=SC2034
	attach_rc=-1
	until_true 10 grep -q '^fenced ' "$T/attach.out"
}
end_attach() { # [SIGNAL]: $attach_rc
	kill "-${1:-TERM}" "$attach_pid"
	wait "$attach_pid" 2>/dev/null
	attach_rc=$?
}
# A resident of $cg with open sockets; ask WORD says what became of one of them.
start_resident() {
	rm -f "$T/in" "$T/out"
	mkfifo "$T/in"
	(echo "$BASHPID" >"$1/cgroup.procs" && exec python3 "$e2e/attach.py" "${@:2}" <"$T/in" >>"$T/out" 2>&1) &
	resident=$!
	started+=("$resident")
	exec 7>"$T/in"
	until_true 10 grep -qx up "$T/out"
}
ask() {
	: >"$T/out"
	echo "$1" >&7
	until_true 5 grep -q . "$T/out"
	cat "$T/out"
}
end_resident() {
	echo end >&7
	exec 7>&-
	wait "$resident" 2>/dev/null
}

# --- without a fence all is open ------------------------------------------------------------------
new_cgroup main
mkdir "$cg/below"
cgroups=("$cg/below" "${cgroups[@]}")
expect 'bare: another name' '^ok 198.51.100.20$' fetch http://198.51.100.20/
expect 'bare: a lookup' '^198.51.100.22$' lookup git.test

# --- with one: names, addresses, record --------------------------------------------------------------
fresh_log
start_attach
check 'attach says when the fence holds' grep -q '^fenced ' "$T/attach.out"
: >"$LAB_DIR/hits.log"
expect 'an allowed name resolves and is reached' '^ok 198.51.100.10$' fetch http://api.test/
expect 'another port of it is refused' 'Failed to connect' fetch http://api.test:8443/
expect 'a denied name does not resolve' 'Could not resolve' fetch http://other.test/
expect 'an address without an entry is refused' 'Failed to connect' fetch http://198.51.100.20/
expect 'metadata is refused' 'Failed to connect' fetch http://169.254.169.254/
expect 'IPv6 is refused' 'Failed to connect' fetch 'http://[2001:db8::20]/'
expect 'the stub of the host is steered to the resolver' '^198.51.100.10$' lookup @127.0.0.53 api.test
expect 'and so is any server over TCP' '^198.51.100.10$' lookup +tcp @192.0.2.53 api.test
absent 'nothing arrived but what is allowed' '198.51.100.20|169.254|db8::20' "$LAB_DIR/hits.log"
absent 'no denied name was asked upstream' 'query.* other.test' "$LAB_DIR/dns.log"
main=$cg cg=$cg/below
expect 'a cgroup below is fenced as well' 'Failed to connect' fetch http://198.51.100.20/
expect 'and resolves' '^198.51.100.10$' lookup api.test
cg=$main
logged 'the record tells of the attachment and of each fence' \
	'ev["event"] == "attach" and ev["cgroup"].endswith("-main") and ev["fences"]["network"] == "ready"
	 and ev["fences"]["files"] == "missing" and ev["fences"]["syscalls"] == "missing"'
logged 'a refused connection is a line' 'ev["event"] == "net_deny" and ev["dst"] == "198.51.100.20"'
logged 'a refused name is a line' 'ev["event"] == "dns_deny" and ev["name"] == "other.test"'

# --- the record is rotated ----------------------------------------------------------------------------
seqs() { grep -ho '"seq":[0-9]*' "$@" | cut -d: -f2 | sort -n; }
for i in 1 2 3; do
	mv "$LOG" "$LOG.$i"
	kill -HUP "$attach_pid"
	until_true 20 test -e "$LOG"
	fetch "http://198.51.100.$((20 + i))/" >/dev/null 2>&1
done
check 'renamed, and told by SIGHUP, the record is made anew' until_true 20 grep -q '198.51.100.23' "$LOG"
expect 'the fence is still there' 'Failed to connect' fetch http://198.51.100.20/
check 'no line is lost, none is doubled' bash -c '[ "$1" = "$(seq "$(wc -l <<<"$1")")" ]' - "$(seqs "$LOG" "$LOG".*)"
cat "$LOG".[123] "$LOG" >"$T/all" && mv "$T/all" "$LOG.all" && rm "$LOG".[123]
cat "$LOG.all" >"$LOG" && rm "$LOG.all" # what is below asks for all of it

# --- refusals --------------------------------------------------------------------------------------
attach() { "$PINFOLD" attach -p "$policy" --quiet --cgroup "$@"; }
expect 'a second fence is refused' 'has a fence already' attach "$cg"
expect 'one below it is refused' 'above .* has a fence already' attach "$cg/below"
status 'with 125' 125 attach "$cg"
expect 'the root of all cgroups is refused' 'is the root of all cgroups' attach /
status 'as a bad argument' 65 attach /sys/fs/cgroup
expect 'what is no cgroup is refused' "no cgroup '/nowhere'" attach /nowhere
expect 'a version 1 line is refused' 'version 1' attach 4:memory:/x
status 'no cgroup is a usage error' 64 "$PINFOLD" attach -p "$policy"
status 'no policy is a usage error' 64 "$PINFOLD" attach --cgroup "$cg"
new_cgroup own
expect 'the own cgroup is refused' 'this very process is in' inside "$PINFOLD" attach -p "$policy" --cgroup "$cg"
mkdir "$cg/in"
cgroups=("$cg/in" "${cgroups[@]}")
# shellcheck disable=SC2016
expect 'and one that holds it' 'this very process is in' sh -c \
	'echo $$ >"$0/in/cgroup.procs"; exec "$1" attach -p "$2" --cgroup "$0"' "$cg" "$PINFOLD" "$policy"
status 'detaching what has no fence is an error' 64 "$PINFOLD" detach --cgroup "$cg"
cg=$main

# --- live control -----------------------------------------------------------------------------------
session=$(sed -n 's/^fenced .* session \([0-9a-f]*\):.*/\1/p' "$T/attach.out")
expect 'show tells which cgroup it is' '"cgroup": ?"/pinfold-e2e-' "$PINFOLD" show --json "$session"
wider=$(policy '{ workspace: "/srv", network: { allowOutbound: ["api.test:80", "198.51.100.20:80"] } }')
check 'reload puts another policy in place' "$PINFOLD" reload "$session" "$wider"
expect 'which holds' '^ok 198.51.100.20$' fetch http://198.51.100.20/

# --- ends ------------------------------------------------------------------------------------------
end_attach TERM
check 'asked to end, it ends well' test "$attach_rc" -eq 0
expect 'and the fence is off' '^ok 198.51.100.20$' fetch http://198.51.100.20/
logged 'the record tells of the end' 'ev["event"] == "detach" and ev["reason"] == "signal" and not ev["fenceStays"]'

start_attach --cgroup "0::${cg#/sys/fs/cgroup}"
check 'attached once more, by the form of /proc/PID/cgroup' grep -q '^fenced ' "$T/attach.out"
end_attach KILL
expect 'killed, its fence holds on' 'Failed to connect' fetch http://198.51.100.20/
expect 'and names have an end' 'Could not resolve' fetch http://api.test/
expect 'the orphaned fence is not doubled' 'has a fence already' attach "$cg"
check 'detach takes it off' "$PINFOLD" detach --cgroup "$cg"
expect 'after which all is open' '^ok 198.51.100.20$' fetch http://198.51.100.20/

# --- kept ------------------------------------------------------------------------------------------
pins() { ls -d /sys/fs/bpf/pinfold/attach-"$(stat -c %i "$cg")"; }
server() { sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' <("$PINFOLD" show --json "$1") | head -n 1; }
keep() {
	out=$("$PINFOLD" attach --cgroup "$cg" -p "$policy" --log "$LOG" --keep 2>&1 </dev/null)
	session=$(sed -n 's/^fenced .* session \([0-9a-f]*\):.*/\1/p' <<<"$out")
	kept_pid=$(server "$session")
	[ -n "$kept_pid" ] && started+=("$kept_pid")
}
keep
check 'with --keep it returns when the fence holds' test -n "$kept_pid"
check 'which is pinned' pins
expect 'served in the background' '^ok 198.51.100.10$' fetch http://api.test/
expect 'and refuses' 'Failed to connect' fetch http://198.51.100.20/
kill -KILL "$kept_pid"
expect 'killed, its fence holds on' 'Failed to connect' fetch http://198.51.100.20/
check 'and stays pinned' pins
check 'detach takes it off' "$PINFOLD" detach --cgroup "$cg"
status 'with its pins' 2 pins
keep
check 'kept once more' test -n "$kept_pid"
kill -TERM "$kept_pid"
check 'asked to end it ends' until_true 5 sh -c "! kill -0 $kept_pid"
expect 'and leaves the fence in place' 'Failed to connect' fetch http://198.51.100.20/
logged 'as the record says' 'ev["event"] == "detach" and ev["fenceStays"]'
check 'detach takes it off' "$PINFOLD" detach --cgroup "$cg"
keep
check 'kept a third time' test -n "$kept_pid"
check 'detach ends who serves it' "$PINFOLD" detach --cgroup "$cg"
check 'at once' until_true 5 sh -c "! kill -0 $kept_pid"
expect 'and all is open' '^ok 198.51.100.20$' fetch http://198.51.100.20/

# --- what was open before ----------------------------------------------------------------------------
start_resident "$cg/below" 203.0.113.7:8443 198.51.100.20:8443
fresh_log
start_attach
expect 'sockets that were open are counted' '\(2 kept, 1 refused, 0 outside, 0 cut\)' cat "$T/attach.out"
logged 'and told' 'ev["event"] == "attach" and ev["sockets"]["found"] == 3
	and any("198.51.100.20:8443 refused" in s for s in ev["open"])'
logged 'a connection that is refused is a line of its own' \
	'ev["event"] == "net_deny" and ev["op"] == "existing" and ev["dst"] == "198.51.100.20"'
expect 'one that the rules let through goes on' '^0 ok$' ask 0
expect 'nothing passes through one that they refuse' '^1 (TimeoutError|timeout)$' ask 1
port=$(ask listen | sed -n 's/^port //p')
status 'a listener that was open to all is shut to others' 28 curl -sS -m 1 "http://198.51.100.10:$port/"
end_attach
end_resident

start_resident "$cg/below" 203.0.113.7:8443 198.51.100.20:8443
start_attach --cut
expect 'with --cut what is refused is ended' '1 refused, 0 outside, 1 cut' cat "$T/attach.out"
expect 'and the program is told' '^1 ConnectionAbortedError$' ask 1
expect 'what is let through is not' '^0 ok$' ask 0
end_attach
end_resident

# A socket that was made in another cgroup, and brought along.
start_resident /sys/fs/cgroup 198.51.100.20:8443
echo "$resident" >"$cg/cgroup.procs"
fresh_log
start_attach
expect 'a socket from outside is found' '2 outside' cat "$T/attach.out"
logged 'and told as a gap' 'ev["event"] == "degraded" and "another cgroup" in ev["reason"]'
end_attach
start_attach --cut
expect 'and --cut ends it' '^0 ConnectionAbortedError$' ask 0
end_attach
end_resident

# --- watching only -----------------------------------------------------------------------------------
start_resident "$cg" 198.51.100.20:8443
fresh_log
start_attach --observe
expect 'observing lets through what would be refused' '^ok 198.51.100.20$' fetch http://198.51.100.20/
expect 'names, too' '^ok ' fetch http://other.test/
expect 'and what was open' '^0 ok$' ask 0
expect 'but no metadata' 'Failed to connect' fetch http://169.254.169.254/
logged 'and records it' 'ev["event"] == "net_deny" and ev["verdict"] == "would_deny" and ev["dst"] == "198.51.100.20"'
logged 'with what was open' 'ev["event"] == "net_deny" and ev["verdict"] == "would_deny" and ev["op"] == "existing"'
logged 'and names' 'ev["event"] == "dns_deny" and ev["verdict"] == "would_deny" and ev["name"] == "other.test"'
end_attach
end_resident

# --- the cgroup goes -----------------------------------------------------------------------------------
new_cgroup short
fresh_log
start_attach
rmdir "$cg"
check 'when the cgroup is removed, it ends' until_true 5 sh -c "! kill -0 $attach_pid"
wait "$attach_pid"
logged 'and says why' 'ev["event"] == "detach" and ev["reason"] == "the cgroup is gone"'

# --- containers ------------------------------------------------------------------------------------------
bundle() { # DIR NAMESPACES-JSON CGROUP: a real bundle
	mkdir -p "$1"/rootfs/{bin,proc,etc,dev,sys,tmp}
	cp /bin/busybox "$1/rootfs/bin/sleep"
	musl-gcc -static -O1 -o "$1/rootfs/bin/fetch" "$e2e/fetch.c"
	echo "nameserver $LAB_DNS" >"$1/rootfs/etc/resolv.conf"
	cat >"$1/config.json" <<-CONFIG
		{ "ociVersion": "1.0.0", "root": { "path": "rootfs" }, "hostname": "box",
		  "process": { "user": { "uid": 0, "gid": 0 }, "args": ["/bin/sleep", "1000"], "cwd": "/",
		    "env": ["PATH=/bin"], "noNewPrivileges": true, "capabilities": {} },
		  "mounts": [{ "destination": "/proc", "type": "proc", "source": "proc" }],
		  "linux": { "cgroupsPath": "$3", "namespaces": [
		    { "type": "pid" }, { "type": "mount" }, { "type": "ipc" }, { "type": "uts" } $2 ] } }
	CONFIG
}
in_box() { box exec box /bin/fetch "$1" "$2" 2>&1; } # HOST PORT
container() { # NAME NAMESPACES-JSON
	local where="pinfold-e2e-$$-$engine-$1"
	bundle "$T/$engine-$1" "$2" "/$where"
	box run -d -b "$T/$engine-$1" box >"$T/engine.out" 2>&1
	cg=/sys/fs/cgroup/$where
	cgroups=("$cg" "${cgroups[@]}")
}
try_container() { # NAME
	expect "$1: bare, all is open" '^ok 198.51.100.20' in_box 198.51.100.20 443
	fresh_log
	start_attach
	check "$1: it gets a fence" grep -q '^fenced ' "$T/attach.out"
	expect "$1: an allowed name resolves and is reached" '^ok 198.51.100.10' \
		in_box api.test 5432
	expect "$1: another name does not resolve" '^denied Name' in_box other.test 443
	expect "$1: another address is refused" '^denied Operation not permitted' \
		in_box 198.51.100.20 443
	logged "$1: the record tells it, and by which process" \
		'ev["event"] == "net_deny" and ev["dst"] == "198.51.100.20" and ev.pid'
	end_attach KILL
	expect "$1: its server killed, the fence holds on" '^denied Operation not permitted' \
		in_box 198.51.100.20 443
	check "$1: and is taken off" "$PINFOLD" detach --cgroup "$cg"
	expect "$1: after which all is open" '^ok 198.51.100.20' in_box 198.51.100.20 443
	box delete -f box >/dev/null 2>&1
}
# One with a network of its own, which a pair of devices leads out of.
unshare --net sleep 1000 &
started+=("$!")
net=/proc/$!/ns/net
until_true 5 sh -c "[ \"\$(readlink $net)\" != \"\$(readlink /proc/self/ns/net)\" ]"
ip link add e2e0 type veth peer name eth0 netns "$!"
ip addr add 192.0.2.1/24 dev e2e0
ip link set e2e0 up
nsenter --net="$net" sh -c 'ip link set lo up; ip addr add 192.0.2.2/24 dev eth0; ip link set eth0 up
	ip route add default via 192.0.2.1'
for engine in crun runc; do
	if ! command -v "$engine" >/dev/null; then
		skip "containers that $engine makes" "$engine is not installed"
		continue
	fi
	container host-network ''
	try_container "$engine, a container in the network of the host"
	container own-network ", { \"type\": \"network\", \"path\": \"$net\" }"
	try_container "$engine, a container with a network of its own"
done

finish

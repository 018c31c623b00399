#!/bin/bash
# SPDX-License-Identifier: MIT
# fixture.sh CMD...: the world around an attacked session, for one command.
#
# Private network, mount and IPC namespaces; the only peer of the network is a second namespace with
# servers.  "Outside" assets (files, sockets, a process, IPC objects) lie under $PF and belong to
# uid $SESSION_UID on purpose, so that ownership is not what stops a session of that uid.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ "${FIXTURE_STAGE:-}" != inside ]; then
	FIXTURE_STAGE=inside exec unshare --net --mount --ipc --propagation private bash "$0" "$@"
fi
unset FIXTURE_STAGE

PF=$(mktemp -d /tmp/pinfold-escapes.XXXXXX)
export PF SESSION_UID=61234 FIXTURE=1
U=$SESSION_UID
children=()
# shellcheck disable=SC2317 # called by the trap
clean_up() {
	local pid
	for pid in "${children[@]}"; do kill -KILL -- "-$pid" 2>/dev/null || true; done
	rm -rf "$PF"
}
trap clean_up EXIT
trap 'exit 143' TERM INT HUP

background() { # NAME COMMAND...: in a process group of its own
	local name=$1
	shift
	setsid "$@" </dev/null >"$PF/$name.out" 2>&1 &
	children+=($!)
	disown
}

# --- addresses and names the programs ask for ------------------------------------------------------
export TARGET_IP=203.0.113.2 TARGET_IP6=2001:db8:77::2 TARGET_PORT=48080 IFACE=veth0
export ALLOWED_IP=198.51.100.1 ALLOWED_IP6=2001:db8:88::1 ALLOWED_DOMAIN=googleapis.com
export SMUGGLED_IP=203.0.113.66 SHORT_TTL_IP=203.0.113.67
export DNS_SERVER=127.0.0.1 DNS_PORT=5353 DNS_LOG=$PF/naive_dns.log
export WORKSPACE=$PF/ws OUTSIDE_DIR=$PF/out SECRET_FILE=$PF/out/secret.txt OUTSIDE_CWD=$PF/out
export SHARED_TMP=$PF/shared NOEXEC_FILE=$PF/noexec/true SUID_HELPER=$PF/bin/suid
export OUTSIDE_SOCK=$PF/out/srv.sock OUTSIDE_SCM=$PF/out/scm.sock OUTSIDE_DGRAM=$PF/out/dg.sock
export OUTSIDE_ABSTRACT=pf-abstract OUTSIDE_ABSTRACT_DGRAM=pf-abstract-dgram HOST_IP=203.0.113.1
export EXTRA_SOCK=$PF/out/srv.sock SIGCOUNT_FILE=$PF/ws/sigcount
export OUTSIDE_SHMKEY=0x50460001 OUTSIDE_SEMKEY=0x50460002 OUTSIDE_MQ=/pf-mq OUTSIDE_SHM=/pf-shm
export AUDIT_LOG=$PF/naive_audit.jsonl BPF_PIN=/sys/fs/bpf/pf-fixture-map
CGROUP2_ROOT=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
export CGROUP2_ROOT

# --- files -----------------------------------------------------------------------------------------
mount -t tmpfs none /dev/shm
mkdir -p "$PF"/{ws,out,shared,noexec,bin}
chmod 755 "$PF"
echo top-secret >"$PF/out/secret.txt"
echo m >"$PF/out/movable"
echo victim >"$PF/out/victim"
echo other >"$PF/shared/other-session"
mkfifo "$PF/out/pipe"
: >"$PF/naive_audit.jsonl"
: >"$PF/naive_dns.log"
: >"$PF/pts"
: >"$PF/victim.pid"
install -m 644 /bin/true "$PF/noexec/true"
chmod 777 "$PF"/{ws,out,shared}
chmod 666 "$PF"/{out,shared}/* "$PF"/naive_* "$PF/pts" "$PF/victim.pid"
chown -R "$U:$U" "$PF"/{ws,out,shared} "$PF"/naive_*
printf '%s\n' '#include <stdio.h>' '#include <unistd.h>' \
	'int main(void) { printf("%d\n", (int)geteuid()); return 0; }' | gcc -x c -o "$PF/bin/suid" -
chmod 4755 "$PF/bin/suid"
if mount -t bpf none /sys/fs/bpf 2>/dev/null; then
	"$(command -v bpftool || echo /usr/sbin/bpftool)" map create "$BPF_PIN" type array key 4 value 8 entries 4 name pffix
fi

# --- network: this namespace is the client's, another is the servers' ------------------------------
background servers unshare --net sleep infinity
server=${children[0]}
until [ "$(readlink "/proc/$server/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
S="nsenter --net=/proc/$server/ns/net"
ip link add veth0 type veth peer name veth1 netns "$server"
ip link set lo up
ip link set veth0 up
ip addr add 203.0.113.1/24 dev veth0
ip -6 addr add 2001:db8:77::1/64 dev veth0 nodad
$S ip link set lo up
$S ip link set veth1 up
for a in 2 66 67; do $S ip addr add 203.0.113.$a/24 dev veth1; done
$S ip addr add 198.51.100.1/32 dev lo
$S ip -6 addr add 2001:db8:77::2/64 dev veth1 nodad
$S ip -6 addr add 2001:db8:88::1/128 dev lo nodad
ip route add default via 203.0.113.2
ip -6 route add default via 2001:db8:77::2
$S ip route add default via 203.0.113.1
$S ip -6 route add default via 2001:db8:77::1
for r in 169.254.0.0/16 100.64.0.0/10 198.18.0.0/15 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 \
	192.0.0.0/24 168.63.129.16/32; do
	$S ip route add local $r dev lo
done
for r in 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/32 fd00::/8; do $S ip -6 route add local $r dev lo; done
sysctl -qw net.ipv4.ping_group_range='0 2147483647' net.ipv4.tcp_fastopen=3 \
	net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.veth0.rp_filter=0
$S sysctl -qw net.ipv4.tcp_fastopen=3 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.veth1.rp_filter=0 \
	net.ipv4.conf.all.accept_source_route=1 net.ipv4.conf.veth1.accept_source_route=1 \
	net.ipv6.conf.all.seg6_enabled=1 net.ipv6.conf.veth1.seg6_enabled=1 net.ipv4.icmp_ratelimit=0

# --- processes -------------------------------------------------------------------------------------
# shellcheck disable=SC2086
{
	background srv $S python3 "$here/fixtures/srv.py"
	background fakedns $S python3 "$here/fixtures/fakedns.py"
}
background local python3 "$here/fixtures/srv.py"
background naivedns bash -c "while :; do python3 '$here/fixtures/naive_dnsproxy.py'; sleep 1; done"
background victim python3 "$here/fixtures/victim.py"

ready() {
	[ -s "$PF/victim.pid" ] && [ -s "$PF/pts" ] &&
		python3 -c "import os, socket, sys
sys.path.insert(0, '$here/include')
import dnsc
s = socket.create_connection(('$TARGET_IP', $TARGET_PORT), 1); s.sendall(b'x'); assert s.recv(9) == b'x'
sys.exit(not dnsc.addrs(dnsc.udp(dnsc.query('ok.$ALLOWED_DOMAIN')[1])))" 2>/dev/null
}
for i in $(seq 100); do
	ready && break
	[ "$i" -lt 100 ] || { echo "fixture: the servers did not come up" >&2; exit 1; }
	sleep 0.1
done
chmod 644 "$PF/pts" "$PF/victim.pid"
"$@" || exit $?

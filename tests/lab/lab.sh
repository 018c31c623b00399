#!/bin/bash
# SPDX-License-Identifier: MIT
# lab.sh [--tls] CMD...: an offline network for one command.
#
# The lab is a network namespace whose loopback carries public, private and metadata addresses, a DNS
# server that knows names under .test, TCP servers on every address, UDP echo and TLS.  Nothing can
# leave it.  It also has a mount namespace, so that /etc/resolv.conf may name the lab's DNS server.
# (`ip netns exec` would hide /sys/fs/cgroup, so unshare is used.)
#
# CMD sees: LAB_DIR (private, removed at the end) with hits.log (what reached a server: "tcp ADDR
# PORT") and dns.log (what was asked upstream), ca.pem; LAB_DNS; LAB_TLS_PORT (443 with --tls).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ "${LAB_STAGE:-}" != inside ]; then
	LAB_STAGE=inside exec unshare --net --mount --propagation private bash "$0" "$@"
fi
unset LAB_STAGE

export LAB_DNS=198.51.100.53 LAB_TLS_PORT=4433
if [ "${1:-}" = --tls ]; then
	LAB_TLS_PORT=443
	shift
fi
LAB_DIR=$(mktemp -d /tmp/pinfold-lab.XXXXXX)
export LAB_DIR
chmod 755 "$LAB_DIR"
children=()

# shellcheck disable=SC2317 # called by the trap
clean_up() {
	local pid
	for pid in "${children[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
	umount -l /etc/resolv.conf 2>/dev/null || true
	rm -rf "$LAB_DIR"
}
trap clean_up EXIT
trap 'exit 143' TERM INT HUP

# wait_for SECONDS COMMAND...: until it succeeds; the servers must answer before CMD starts.
wait_for() {
	local tries=$(($1 * 50))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		if [ "$tries" -le 0 ]; then
			echo "lab: gave up waiting for: $*" >&2
			cat "$LAB_DIR"/*.err >&2 || true
			exit 1
		fi
		sleep 0.02
	done
}

v4='198.51.100.10 198.51.100.11 198.51.100.20 198.51.100.22 198.51.100.53 203.0.113.7
	10.9.9.9 172.16.5.5 192.168.77.7 100.64.1.1 198.18.5.5
	169.254.169.254 100.100.100.200 168.63.129.16'
v6='2001:db8::10 2001:db8::20 fd00:ec2::254 fc00::7 fe80::7'

ip link set lo up
for a in $v4; do ip addr add "$a/32" dev lo; done
for a in $v6; do ip -6 addr add "$a/128" dev lo nodad; done
sysctl -qw net.ipv4.ping_group_range='0 2147483647' net.ipv4.tcp_fastopen=3 \
	net.ipv4.conf.all.accept_source_route=1 net.ipv4.conf.lo.accept_source_route=1

make_certificates() { # a CA, and one certificate for each name; keys live as long as the lab
	local n cert=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2)
	cd "$LAB_DIR"
	openssl req -x509 "${cert[@]}" -keyout ca.key -out ca.pem -subj '/CN=pinfold lab'
	for n in api.test shared-a.test shared-b.test other.test x.wild.test; do
		openssl req -x509 "${cert[@]}" -keyout "$n.key" -out "$n.pem" -subj "/CN=$n" \
			-addext "subjectAltName=DNS:$n" -addext basicConstraints=critical,CA:FALSE \
			-CA ca.pem -CAkey ca.key
	done
	cd "$OLDPWD"
}
make_certificates 2>"$LAB_DIR/openssl.err" || { cat "$LAB_DIR/openssl.err" >&2; exit 1; }
chmod 644 "$LAB_DIR/ca.pem"

# shellcheck disable=SC2086
python3 "$here/servers.py" "$LAB_DIR" "$LAB_TLS_PORT" $v4 $v6 </dev/null 2>"$LAB_DIR/servers.err" &
children+=($!)

records=()
record() { records+=("--host-record=$1"); }
record api.test,198.51.100.10,60
record v6only.test,2001:db8::10
record dual.test,198.51.100.10,2001:db8::10
record shared-a.test,198.51.100.11
record shared-b.test,198.51.100.11
record other.test,198.51.100.20,2001:db8::20
record git.test,198.51.100.22
record ttl1.test,198.51.100.20,1
record mixed.test,198.51.100.10
record mixed.test,10.9.9.9
record artifactory.test,10.9.9.9
record rebind-meta.test,169.254.169.254
record rebind-meta6.test,fd00:ec2::254
record rebind-priv.test,10.9.9.9
record rebound.test,10.9.9.9
record rebind-lo.test,127.0.0.1
record rebind-map.test,::ffff:169.254.169.254
record rebind-nat64.test,64:ff9b::a9fe:a9fe
for n in 1 2 3 4 5 6 7; do records+=("--cname=chain$n.test,chain$((n + 1)).test"); done
dnsmasq --conf-file=/dev/null --no-daemon --no-resolv --no-hosts --user=root --pid-file= \
	--listen-address=$LAB_DNS --bind-interfaces --log-queries \
	--log-facility="$LAB_DIR/dns.log" \
	"${records[@]}" --cname=chain8.test,api.test --cname=www.test,api.test \
	--cname=steered.test,rebind-priv.test --address=/wild.test/198.51.100.10 \
	--local=/test/ </dev/null 2>"$LAB_DIR/dnsmasq.err" &
children+=($!)
disown -a # no words about them when they are killed at the end

echo "nameserver $LAB_DNS" >"$LAB_DIR/resolv.conf"
mount --bind "$LAB_DIR/resolv.conf" /etc/resolv.conf

wait_for 10 test -e "$LAB_DIR/ready"
wait_for 10 dig +time=1 +tries=1 +noall +answer ready.wild.test
"$@" || exit $?

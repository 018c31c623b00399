#!/bin/bash
# SPDX-License-Identifier: MIT
# The network fence: what is allowed works with every program, and no other way out is open.
. "$(dirname "$0")/lib.sh"
lab
need node curl dig python3

reached() { grep -qx -- "$1" "$LAB_DIR/hits.log"; } # a server of the lab saw it
denied='^denied EPERM$'
none='^denied (EPERM|EACCES|EAFNOSUPPORT|EPROTONOSUPPORT|ENOSYS)$'

# --- controls: without a pen all of it is open, so a denial below means something -------------------
for try in 'tcp other.test 443' 'mapped other.test 443' 'mptcp other.test 443' \
	'fastopen_connect 198.51.100.20 443' 'udp 198.51.100.20 443' 'udp_connected 198.51.100.20 443' \
	'udp_mapped 198.51.100.20 443' 'tcp 169.254.169.254 80' 'tcp 10.9.9.9 443' \
	'ping 198.51.100.20' 'io_uring' 'sock AF_VSOCK SOCK_STREAM' 'lookup other.test'; do
	# shellcheck disable=SC2086
	expect "bare: $try" '^ok ' bare $try
done
: >"$LAB_DIR/hits.log"

# --- with no rule the network is shut --------------------------------------------------------------
expect 'with no rule nothing is reachable' "$denied" probe -- tcp 198.51.100.10 443
expect 'with no rule no name resolves' '^denied NXDOMAIN$' probe -- lookup api.test
absent 'with no rule nothing arrives anywhere' . "$LAB_DIR/hits.log"

# --- an allowed name, by programs that never heard of pinfold ----------------------------------------
allow='--allow api.test:443 --allow api.test:80'
# shellcheck disable=SC2086
in_pen() { pen $allow -- "$@"; }
# shellcheck disable=SC2086
try() { probe $allow -- "$@"; }
expect 'python reaches the allowed name' '^ok ok 198.51.100.10$' try tcp api.test 443
expect 'curl reaches it' '^ok 198.51.100.10$' in_pen curl -sS -m 5 http://api.test/
expect 'node reaches it with fetch, which reads no proxy variable' '^ok 198.51.100.10$' in_pen node -e \
	'fetch("http://api.test/").then(r => r.text()).then(t => console.log(t.trim()))
	 .catch(e => { console.log(e.cause ? e.cause.code : e); process.exit(3) })'
expect 'dig asks for it' '^198.51.100.10$' in_pen dig +short +tries=1 +time=2 api.test
expect 'dig asks for it over TCP' '^198.51.100.10$' in_pen dig +tcp +short +tries=1 +time=2 api.test
expect 'dig asks another server and is answered as by that one' 'SERVER: 192.0.2.53#53' \
	in_pen dig +tries=1 +time=2 @192.0.2.53 api.test
expect 'the allowed address is reachable as a v4-mapped one after the lookup' '^ok ' \
	try mapped api.test 443
check 'the connection arrived at the server' reached 'tcp 198.51.100.10 443'
expect 'a name with both families is reachable by v4' '^ok ok 198.51.100.10$' \
	pen --allow dual.test:443 -- sh -c 'getent ahosts dual.test >/dev/null; python3 ./probe tcp4 198.51.100.10 443'
expect 'a name with both families is reachable by v6' '^ok ok 2001:db8::10$' \
	pen --allow dual.test:443 -- sh -c 'getent ahosts dual.test >/dev/null; python3 ./probe tcp6 2001:db8::10 443'
expect 'an alias is reachable though its target is not listed' '^ok ok 198.51.100.10$' \
	probe --allow www.test:443 -- tcp www.test 443

# --- everything else -----------------------------------------------------------------------------
: >"$LAB_DIR/hits.log"
expect 'another port of the allowed name is refused at once' "$denied" try tcp api.test 8443
expect 'another name does not resolve' '^denied NXDOMAIN$' try tcp other.test 443
expect 'another address is refused at once' "$denied" try tcp 198.51.100.20 443
expect 'the allowed address is refused before anybody asked for the name' "$denied" \
	try tcp 198.51.100.10 443
expect 'and let through after that' '^ok ' \
	in_pen sh -c 'getent hosts api.test >/dev/null; python3 ./probe tcp 198.51.100.10 443'
: >"$LAB_DIR/hits.log"
expect 'IPv6' "$denied" try tcp 2001:db8::20 443
expect 'v4-mapped' "$denied" try tcp6 ::ffff:198.51.100.20 443
expect 'MPTCP' "$none" try mptcp 198.51.100.20 443
expect 'TCP fast open with sendto' "$none" try fastopen 198.51.100.20 443
expect 'TCP fast open with connect' "$denied" try fastopen_connect 198.51.100.20 443
expect 'UDP with sendto' "$denied" try udp 198.51.100.20 443
expect 'UDP with connect' "$denied" try udp_connected 198.51.100.20 443
expect 'UDP from a v6 socket to a v4-mapped address' "$denied" try udp_mapped 198.51.100.20 443
expect 'UDP to the allowed host: only TCP is allowed' "$denied" try udp api.test 443
expect 'UDP-Lite' "$none" try udplite 198.51.100.20 443
expect 'SCTP' "$none" try sock AF_INET SOCK_STREAM 132
expect 'raw sockets' "$none" try sock AF_INET SOCK_RAW 17
expect 'raw sockets of IPv6' "$none" try sock AF_INET6 SOCK_RAW 58
expect 'ping' "$none" try ping 198.51.100.20
expect 'packet sockets' "$none" try sock AF_PACKET SOCK_RAW
expect 'vsock' "$none" try sock AF_VSOCK SOCK_STREAM
expect 'netlink but for reading routes' "$none" try sock AF_NETLINK SOCK_RAW 9
expect 'io_uring' "$none" try io_uring
expect 'source routes' "$none" try source_route 198.51.100.20 198.51.100.10 443
expect 'multicast DNS' "$denied" try udp 224.0.0.251 5353
expect 'the metadata address' "$denied" try tcp 169.254.169.254 80
expect 'the metadata address, v4-mapped' "$denied" try tcp6 ::ffff:169.254.169.254 80
expect 'the metadata address of IPv6' "$denied" try tcp fd00:ec2::254 80
absent 'nothing of that arrived at a server' . "$LAB_DIR/hits.log"

wide=$(policy '{"version": 1, "network": {"allowOutbound": ["*:443", "*:443/udp"]}}')
for a in 169.254.169.254 100.100.100.200 168.63.129.16 10.9.9.9 172.16.5.5 192.168.77.7 100.64.1.1 \
	198.18.5.5 fd00:ec2::254 fc00::7 127.0.0.1 127.0.0.2 0.0.0.0 ::1 :: ::ffff:10.9.9.9; do
	expect "even with *:443 allowed, $a is refused" "$denied" probe -p "$wide" -- tcp $a 443
done
expect 'with *:443 a public address is reachable' '^ok ' probe -p "$wide" -- tcp 203.0.113.7 443
expect 'with *:443 its other ports are not' "$denied" probe -p "$wide" -- tcp 203.0.113.7 8443

# --- UDP, when it is allowed -----------------------------------------------------------------------
u='--allow api.test:443/udp'
# shellcheck disable=SC2086
{
	expect 'allowed UDP passes with sendto' '^ok x$' probe $u -- udp api.test 443
	expect 'allowed UDP passes with connect' '^ok x$' probe $u -- udp_connected api.test 443
	: >"$LAB_DIR/hits.log"
	expect 'a connected socket cannot send elsewhere' "$denied" \
		pen $u -- sh -c 'getent hosts api.test >/dev/null
			python3 ./probe udp_redirected 198.51.100.10 198.51.100.20 443'
	absent 'and nothing arrived there' '198.51.100.20' "$LAB_DIR/hits.log"
}

# --- names that lead into denied space -------------------------------------------------------------
for n in rebind-meta rebind-meta6 rebind-priv rebind-lo rebind-map rebind-nat64; do
	expect "$n.test is allowed by name, and refused for where it leads" '^denied ' \
		probe --allow $n.test:443 -- tcp $n.test 443
done
expect 'of a mixed answer the public address is kept' '^ok 198.51.100.10$' \
	probe --allow mixed.test:443 -- lookup mixed.test
expect 'an alias into private space is stripped' '^denied ' probe --allow steered.test:443 -- tcp steered.test 443
logged 'the record says that addresses were stripped, and why' \
	'ev.event == "dns_strip" and ev.name == "rebind-priv.test" and "10.9.9.9" in ev.addrs and ev.reason'
expect 'a private address is reachable when a literal says so' '^ok ok 10.9.9.9$' \
	probe --allow artifactory.test:443 --allow 10.9.9.9/32:443 -- tcp artifactory.test 443

# --- what the upstream was asked ---------------------------------------------------------------------
: >"$LAB_DIR/dns.log"
try lookup secret-1234.evil.test >/dev/null
try lookup x.api.test >/dev/null
in_pen dig +tries=1 +time=1 TXT secret-5678.api.test >/dev/null
in_pen dig +tries=1 +time=1 @203.0.113.7 exfil.test >/dev/null
try lookup api.test >/dev/null
check 'the upstream is asked for the allowed name' grep -qi 'query.*api\.test' "$LAB_DIR/dns.log"
absent 'the upstream is never asked for another' 'secret|x\.api\.test|exfil|evil' "$LAB_DIR/dns.log"
logged 'a refused name is recorded' 'ev.event == "dns_deny" and ev.name == "secret-1234.evil.test"'
expect 'A and AAAA of a refused name get the same answer' '^NXDOMAIN NXDOMAIN $' in_pen sh -c \
	'for t in A AAAA; do dig +tries=1 +time=2 $t other.test | sed -n "s/.*status: \([A-Z]*\).*/\1/p" | tr "\n" " "; done'
expect 'AAAA of a name without one is NOERROR' 'status: NOERROR' \
	in_pen dig +tries=1 +time=2 AAAA api.test

finish

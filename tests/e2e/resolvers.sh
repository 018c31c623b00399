#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs with several servers of names, which ask them all before they read an answer: each answer
# comes from the server that was asked, though one resolver gives them all.
. "$(dirname "$0")/lib.sh"
lab
need python3 node musl-gcc

cat >"$WS/servers.py" <<'P'
"""Asks all servers from one socket before it reads, and wants each answer from the one it asked."""
import socket, struct, sys
def query(n):
    return struct.pack("!6H", n, 256, 1, 0, 0, 0) + b"\3api\4test\0" + struct.pack("!2H", 1, 1)
def read(s):
    answer, who = s.recvfrom(999)
    assert answer[7] == 1, "no address in it"
    return struct.unpack("!H", answer[:2])[0], who[:2]
family, how, *hosts = sys.argv[1:]
s = socket.socket(getattr(socket, family), socket.SOCK_DGRAM)
s.settimeout(20)
servers = [(h, 53) for h in hosts]
if how == "connected":
    s.connect(servers[0])
for turn in range(10):
    want = {}
    for n, to in enumerate(servers, turn * 100):
        s.sendto(query(n), to)
        if how == "all" or to == servers[0]: # a connected socket hears nobody else
            want[n] = to
    if how == "connected":
        assert s.getpeername()[:2] == servers[0], s.getpeername()
    while want:
        n, who = read(s)
        assert want.pop(n) == who, (n, who)
    if how == "all":
        servers.append(servers.pop(0))
print("as asked")
P
four=(192.0.2.1 192.0.2.2 203.0.113.7 8.8.8.8) four6=(2001:db8::1 2001:db8::2 2001:db8::3 2001:db8::4)
pen=(pen --allow api.test:443 -- python3 ./servers.py)
expect 'four servers are told apart' '^as asked$' "${pen[@]}" AF_INET all "${four[@]}"
expect 'over IPv6 too' '^as asked$' "${pen[@]}" AF_INET6 all "${four6[@]}"
expect 'and in one socket of both families' '^as asked$' \
	"${pen[@]}" AF_INET6 all ::ffff:192.0.2.1 2001:db8::1 ::ffff:8.8.8.8 2001:db8::2
expect 'a fifth takes the place of the one that was asked longest ago' '^as asked$' \
	pen --allow api.test:443 -- sh -c 'python3 ./servers.py AF_INET all 192.0.2.1 192.0.2.2 >/dev/null &&
	sed "s/^servers = .*/import itertools/; s/^for turn.*/for servers in ([(f\"192.0.2.{a}\", 53)] for a in range(1, 30)):\n    turn = 0/" servers.py >five.py &&
	python3 ./five.py AF_INET all'
expect 'a connected socket keeps its server, whoever else it asks' '^as asked$' \
	"${pen[@]}" AF_INET connected "${four[@]}" 192.0.2.3 192.0.2.4
expect 'over IPv6 too' '^as asked$' "${pen[@]}" AF_INET6 connected "${four6[@]}" 2001:db8::5

# Musl asks every server of resolv.conf at once, from one unconnected socket.  The name of that file is
# replaced by one of the same length, which the workspace has.
cat >"$T/m.c" <<'C'
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
int main(int c, char **v)
{
	struct addrinfo *a, want = { .ai_socktype = SOCK_STREAM };
	int e = c == 3 ? getaddrinfo(v[1], v[2], &want, &a) : 1;

	if (e)
		return fprintf(stderr, "getaddrinfo: %s\n", gai_strerror(e)), 2;
	for (; a; a = a->ai_next)
		if (connect(socket(a->ai_family, a->ai_socktype, 0), a->ai_addr, a->ai_addrlen) == 0)
			return puts("connected"), 0;
	return perror("connect"), 1;
}
C
musl-gcc -static -o "$T/m" "$T/m.c" && sed 's|/etc/resolv\.conf|././servers.conf|g' "$T/m" >"$WS/m"
chmod 755 "$WS/m"
printf 'nameserver %s\n' 203.0.113.7 192.0.2.2 2001:db8::53 >"$WS/servers.conf"
check 'the program reads our list of servers' grep -qaF ././servers.conf "$WS/m"
expect 'musl with three servers resolves and connects' '^connected$' pen --allow api.test:8443 -- ./m api.test 8443
expect 'in both families' '^connected$' pen --allow dual.test:8443 -- ./m dual.test 8443
expect 'and is told that a refused name is none, not that nobody answered' '^getaddrinfo: Name does not resolve$' \
	pen --allow api.test:8443 -- ./m other.test 8443

# c-ares, as node has it.
cat >"$WS/ares.js" <<'P'
const dns = require("dns"), r = new dns.Resolver({ timeout: 5000, tries: 2 });
r.setServers(["203.0.113.7", "192.0.2.2", "[2001:db8::53]"]);
let left = 60, bad = 0;
for (let i = 0; i < left; i++)
	r.resolve4(process.argv[2], (e, a) => {
		bad += e ? 1 : a[0] !== "198.51.100.10";
		if (--left == 0) console.log(bad ? `${bad} bad, ${e && e.code}` : "all answered");
	});
P
expect 'c-ares with three servers gets every answer' '^all answered$' pen --allow api.test:443 -- node ./ares.js api.test
expect 'and none for another name' '^60 bad, ENOTFOUND$' pen --allow api.test:443 -- node ./ares.js other.test
# The ports themselves: only a socket that asked some server on port 53 gets there.
cat >"$WS/ports.py" <<'P'
import errno, os, socket, sys, time
def tried(kind, family, host, port):
    s = socket.socket(family, kind)
    s.settimeout(20)
    try:
        if kind == socket.SOCK_STREAM: s.connect((host, port))
        else: s.sendto(b"x" * 20, (host, port))
        return "open"
    except OSError as e:
        return errno.errorcode.get(e.errno, str(e))
open("here", "w").close()
while not os.path.exists("ports"): time.sleep(0.05)
ports = [int(p) for p in open("ports").read().split()]
got = {tried(k, f, h, p) for p in ports for k in (socket.SOCK_DGRAM, socket.SOCK_STREAM)
       for f, h in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET6, "::ffff:127.0.0.1"))}
print(len(ports), *sorted(got - {"ECONNREFUSED"})) # nobody listens for TCP behind three of them
P
start_pen --allow api.test:443 -- python3 -u ./ports.py >"$T/ports.out" 2>&1
until_true 20 test -e "$WS/here"
# shellcheck disable=SC2154 # start_pen sets it
ss -Hulnp | grep "pid=$pen_pid," | sed -n 's/.* 127\.0\.0\.1:\([0-9]*\) .*/\1/p' | sort -u >"$WS/ports.new"
mv "$WS/ports.new" "$WS/ports"
wait "$pen_pid"
expect "the resolver's own four ports are shut" '^4 EPERM$' cat "$T/ports.out"
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# Loopback: servers of the session work for the session, and for nobody else; others' are out of reach.
. "$(dirname "$0")/lib.sh"
lab
need node python3 curl
denied='^denied EPERM$'

# --- servers inside ------------------------------------------------------------------------------
expect 'python3 -m http.server works inside' '^hello$' pen -- sh -c '
	echo hello > page
	python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 &
	for i in $(seq 50); do curl -sf http://127.0.0.1:8123/page && break; sleep 0.1; done; kill $!'
fresh_log
pen -- python3 -c 'import socket
print(socket.getaddrinfo(None, 8000, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE))' >/dev/null
logged 'a server that asks for its wildcard address is no refusal' 'not any(l.verdict for l in lines)'
expect 'a node http server works inside' '^pong$' pen -- node -e '
	const http = require("http");
	const s = http.createServer((q, r) => r.end("pong")).listen(0, "127.0.0.1", () =>
		http.get({ port: s.address().port, host: "127.0.0.1" }, r =>
			r.on("data", d => { console.log(String(d)); process.exit(0) })));'
expect 'a test fixture on a port the kernel chose works inside' '^same$' pen -- python3 -c '
import socket, threading
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
threading.Thread(target=lambda: s.accept()[0].sendall(b"same")).start()
print(socket.create_connection(s.getsockname(), 5).recv(9).decode())'
expect 'so does one on ::1' '^same$' pen -- python3 -c '
import socket, threading
s = socket.socket(socket.AF_INET6); s.bind(("::1", 0)); s.listen()
threading.Thread(target=lambda: s.accept()[0].sendall(b"same")).start()
print(socket.create_connection(s.getsockname()[:2], 5).recv(9).decode())'
expect 'UDP between two sockets of the session works' '^same$' pen -- python3 -c '
import socket
a = socket.socket(type=socket.SOCK_DGRAM); a.bind(("127.0.0.1", 0)); a.settimeout(3)
b = socket.socket(type=socket.SOCK_DGRAM); b.sendto(b"same", a.getsockname())
print(a.recv(9).decode())'
expect 'a wildcard bind becomes a loopback bind' '^ok listening on 127.0.0.1$' probe -- listen 0.0.0.0 8124
expect 'a closed port of loopback is refused, not left hanging' '^denied (EPERM|ECONNREFUSED)$' \
	probe -- tcp 127.0.0.1 8199

# --- services outside ------------------------------------------------------------------------------
expect 'bare: a loopback service of the host answers' '^ok ' bare tcp 127.0.0.1 5432
for a in 127.0.0.1 127.0.0.2 127.255.255.254 ::1 ::ffff:127.0.0.1 0.0.0.0 ::; do
	expect "a service of the host on $a is out of reach" "$denied" probe -- tcp $a 5432
done
expect 'it is in reach with localhost:5432 allowed' '^ok ' probe --allow localhost:5432 -- tcp 127.0.0.1 5432
expect 'its other ports are not' "$denied" probe --allow localhost:5432 -- tcp 127.0.0.1 8443
expect 'a session that listens on the port of a host service gains nothing' "$denied" pen -- sh -c '
	python3 ./probe listen 127.0.0.1 5432 >/dev/null; python3 ./probe tcp 127.0.0.1 5432'

# --- nobody outside reaches the inside -------------------------------------------------------------
serving() { # OPTIONS...: a session that serves on 8125
	rm -f "$WS/serving"
	start_pen "$@" -- sh -c 'exec python3 ./probe serve 8125 > serving'
	until_true 10 grep -q serving "$WS/serving"
}
serving
for a in 127.0.0.1 198.51.100.10; do
	expect "a process outside does not reach the session's listener on $a" '^(denied|slow|failed) ' bare tcp $a 8125
done
expect "another session does not reach it" "$denied" probe -- tcp 127.0.0.1 8125
expect "not even one that may go to that port" '^(denied|slow|failed) ' \
	probe --allow localhost:8125 -- tcp 127.0.0.1 8125
logged 'the attempt from outside is recorded' 'ev.event == "inbound_deny" and ev.port == 8125'
end_pen

rm -f "$WS/serving"
start_pen -- sh -c 'exec python3 ./probe serve 8125 :: > serving'
until_true 10 grep -q serving "$WS/serving"
for a in 198.51.100.10 2001:db8::10 ::1; do # a wildcard of IPv6 stays one, and is as shut
	expect "nor a listener on :: by $a" '^(denied|slow|failed) ' bare tcp $a 8125
done
end_pen

serving -p "$(policy '{"version": 1, "network": {"allowInbound": ["8125"]}}')"
expect 'with allowInbound the port answers from outside' '^ok ok inside$' bare tcp 198.51.100.10 8125
end_pen
serving -p "$(policy '{"version": 1, "network": {"allowInbound": ["localhost:8125"]}}')"
expect 'with localhost:PORT it answers on loopback' '^ok ok inside$' bare tcp 127.0.0.1 8125
expect 'and nowhere else' '^(denied|slow|failed) ' bare tcp 198.51.100.10 8125
end_pen

finish

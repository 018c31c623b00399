#!/bin/bash
# SPDX-License-Identifier: MIT
# More field cases of the network, of names and of sockets; field.sh has the first of each.
. "$(dirname "$0")/lib.sh"
lab
need node python3 dig
denied='^denied EPERM$'
refused='^denied (EACCES|ENOENT|EPERM|EAFNOSUPPORT|EPROTONOSUPPORT|ESOCKTNOSUPPORT|ECONNREFUSED)$'
mount -t tmpfs none /run
net() { # RULES (JSON list of allowOutbound) [more network members]: a policy file
	policy '{"version": 1, "network": {"allowOutbound": '"$1${2:+, $2}"'}}'
}
# each SENTENCE REGEX [OPTIONS...] -- LINES: every line of stdin is a probe, all in one pen.
each() {
	local sentence=$1 regex=$2 out line
	shift 2
	[ "${1:-}" = -- ] && shift
	out=$(pen "$@" -- sh -c 'while read -r l; do echo "$l: $(python3 ./probe $l)"; done')
	while read -r line; do
		[ -n "$line" ] || continue
		if grep -qE "$regex" <<<"${line##*: }"; then
			plan_ok "$sentence: ${line%%: *}"
		else
			plan_not_ok "$sentence: ${line%%: *}" "$line"
		fi
	done <<<"$out"
	[ -n "$out" ] || plan_not_ok "$sentence" 'no pen'
}

# --- A: the network --------------------------------------------------------------------------------
expect 'P07 an address is open only once its name was looked up' '^denied EPERM ok ok 198.51.100.10 ok ok 198.51.100.10$' \
	pen --allow api.test:443 -- sh -c 'echo $(python3 ./probe tcp4 198.51.100.10 443; python3 ./probe tcp api.test 443
	python3 ./probe tcp4 198.51.100.10 443)'
each 'P08 a wildcard opens no metadata or private space' "$denied" -p "$(net '["*:443"]')" <<L
tcp 169.254.169.254 443
tcp 100.100.100.200 443
tcp 168.63.129.16 443
tcp 10.9.9.9 443
tcp 172.16.5.5 443
tcp 192.168.77.7 443
tcp 100.64.1.1 443
tcp 198.18.5.5 443
tcp fd00:ec2::254 443
tcp fc00::7 443
L
each 'P08 but public space' '^ok ' -p "$(net '["*:443"]')" <<L
tcp 203.0.113.7 443
tcp 2001:db8::20 443
L
each 'P09 every spelling of loopback and of mapped space is judged' "$denied" --allow api.test:443 <<L
tcp6 ::ffff:169.254.169.254 443
tcp6 ::ffff:198.51.100.20 443
tcp 127.0.0.2 443
tcp 127.255.255.254 443
tcp6 ::ffff:127.0.0.2 443
tcp 0.0.0.0 443
tcp6 :: 443
L
expect 'P09 a looked-up address is reached in its mapped form' '^ok ok 198.51.100.10$' probe --allow api.test:443 -- mapped api.test 443
each 'P10 datagrams are fenced however they are sent' "$denied" --allow api.test:443/udp <<L
udp 198.51.100.20 443
udp 203.0.113.7 443
udp_connected 198.51.100.20 443
udp_mapped 198.51.100.20 443
udp_redirected 198.51.100.10 198.51.100.20 443
L
expect 'P10 and reach the host they may' '^ok x$' probe --allow api.test:443/udp -- udp api.test 443
expect 'P10 connected, too' '^ok x$' probe --allow api.test:443/udp -- udp_connected api.test 443
each 'P11 lists of datagrams are judged one by one' "$denied" --allow api.test:443/udp <<L
udp_list 198.51.100.20 443
udp_list 198.51.100.20 443 6
udp_list 198.51.100.20 443 4 198.51.100.10
L
expect 'P11 a list to the host they may reach arrives' '^ok x$' pen --allow api.test:443/udp -- \
	sh -c 'getent hosts api.test >/dev/null; python3 ./probe udp_list 198.51.100.10 443'
expect 'P11 in its mapped form, too' '^ok x$' pen --allow api.test:443/udp -- \
	sh -c 'getent hosts api.test >/dev/null; python3 ./probe udp_list 198.51.100.10 443 6'
expect 'P11 without a pen any list leaves' '^ok x$' bare udp_list 198.51.100.20 443 6
each 'P12 a name with both families is reached by both' '^ok ' -p "$(net '["dual.test:443"]')" <<L
lookup dual.test
tcp 198.51.100.10 443
tcp 2001:db8::10 443
L
each 'P13 no side door' "$refused" --allow api.test:443 <<L
mptcp 198.51.100.20 443
fastopen 198.51.100.20 443
fastopen_connect 198.51.100.20 443
udplite 198.51.100.20 443
sock AF_INET SOCK_STREAM 132
io_uring
L
each 'P14 no raw, packet or ping sockets, no vsock' "$refused" -- <<L
sock AF_INET SOCK_RAW 17
sock AF_PACKET SOCK_RAW
sock AF_INET SOCK_DGRAM 1
sock AF_VSOCK SOCK_STREAM
sock AF_NETLINK SOCK_RAW 9
L
each 'P82 other families' "$refused" -- <<L
sock AF_ALG SOCK_SEQPACKET
sock 31 SOCK_RAW
sock 44 SOCK_RAW
sock 30 SOCK_SEQPACKET
sock 29 SOCK_RAW
L
each 'P82 the usual ones' '^ok made$' -- <<L
sock AF_INET SOCK_STREAM
sock AF_INET6 SOCK_DGRAM
sock AF_UNIX SOCK_SEQPACKET
sock AF_NETLINK SOCK_RAW 0
L
expect 'P82 a policy opens one of them' '^ok made$' \
	probe -p "$(policy '{"version": 1, "seccomp": {"families": ["vsock"]}}')" -- sock AF_VSOCK SOCK_STREAM
expect 'P19 a server of the session answers its own clients' '^200$' pen -- sh -c '
	python3 -m http.server 0 --bind 127.0.0.1 >log 2>&1 & p=$!
	for i in 1 2 3 4 5 6 7 8 9; do port=$(ss -Hltnp 2>/dev/null | sed -n "s/.*127.0.0.1:\([0-9]*\).*pid=$p,.*/\1/p"); [ -n "$port" ] && break; sleep 0.2; done
	curl -s -o /dev/null -w "%{http_code}" "http://127.0.0.1:$port/"; kill $p'
expect 'P19 so does one in node' '^ok$' pen -- node -e '
	const http = require("http"), s = http.createServer((q, r) => r.end("ok"));
	s.listen(0, () => http.get({port: s.address().port}, r => { r.pipe(process.stdout); s.close(); s.closeAllConnections?.(); }));'
each 'P29 without a policy nothing is reachable' "$denied" -- <<L
tcp 198.51.100.10 443
tcp 203.0.113.7 80
tcp 127.0.0.1 5432
L
each 'P32 what a wildcard matches' '^ok ' -p "$(net '["*.wild.test:443"]')" <<L
lookup a.wild.test
lookup a.b.wild.test
lookup A.WILD.TEST.
L
each 'P32 and what it does not' '^denied (NXDOMAIN|EAI-?[0-9]+)$' -p "$(net '["*.wild.test:443"]')" <<L
lookup wild.test
lookup xwild.test
lookup wild.test.evil.test
lookup api.test
L

# --- B: names --------------------------------------------------------------------------------------
for n in meta meta6 priv lo map nat64; do
	expect "P40 rebind-$n.test leads nowhere" '^denied ' \
		probe --allow "rebind-$n.test:443" -- tcp "rebind-$n.test" 443
done
expect 'P44 dig gets its answer from the server it asked' '198.51.100.10.*8\.8\.8\.8#53' \
	pen --allow api.test:443 -- sh -c 'dig +tries=1 +time=2 @8.8.8.8 api.test | tr "\n" " "'
each 'P45 names of the local network carry nothing out' "$denied" --allow api.test:443 <<L
udp 224.0.0.251 5353
udp 224.0.0.252 5355
udp ff02::fb 5353
L
echo '198.51.100.20 api.test' >"$T/hosts" && mount --bind "$T/hosts" /etc/hosts
expect 'P50 the hosts file makes no address known' "$denied" probe --allow api.test:443 -- tcp api.test 443
umount /etc/hosts

# A server of names that behaves badly.
cat >"$T/names.py" <<'P'
import socket, struct, sys
def name(s): return b"".join(bytes([len(p)]) + p.encode() for p in s.split(".") if p) + b"\0"
def rr(owner, kind, data, ttl=1): return name(owner) + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data
s = socket.socket(type=socket.SOCK_DGRAM); s.bind((sys.argv[1], int(sys.argv[2])))
asked = 0
while True:
    q, peer = s.recvfrom(999)
    at, labels = 12, []
    while q[at]: labels.append(q[at + 1:at + 1 + q[at]].decode().lower()); at += 1 + q[at]
    kind, who = struct.unpack("!H", q[at + 1:at + 3])[0], ".".join(labels)
    rcode, answer, authority = 0, [], []
    a = socket.inet_aton("198.51.100.10")
    if who == "slow.test": continue
    elif who.startswith("loop"):
        answer = [rr("loop1.test", 5, name("loop2.test")), rr("loop2.test", 5, name("loop1.test"))]
    elif who == "flip.test" and kind == 1:
        asked += 1
        answer = [rr(who, 1, a if asked == 1 else socket.inet_aton("169.254.169.254"), 0)]
    elif who == "sick.test": rcode, answer = (2, []) if kind == 28 else (0, [rr(who, 1, a)])
    elif who == "gone.test":
        rcode, authority = 3, [rr("test", 6, name("a.test") + name("b.test") + struct.pack("!5I", 1, 2, 3, 4, 60))]
    elif who.endswith(".many.test") and kind == 1:
        answer = [rr(who, 1, bytes([198, 51, 100, 10]))]
    elif kind == 1: answer = [rr(who, 1, a)]
    s.sendto(q[:2] + struct.pack("!5H", 0x8180 | rcode, 1, len(answer), len(authority), 0) + q[12:at + 5]
             + b"".join(answer) + b"".join(authority), peer)
P
ip addr add 198.51.100.77/32 dev lo
python3 "$T/names.py" 198.51.100.77 5300 2>"$T/names.err" &
started+=($!)
disown -a # no words about them when they are killed at the end
until_true 5 dig +tries=1 +time=1 -p 5300 @198.51.100.77 x.test
bad_dns() { net "$1" '"dns": {"upstream": ["198.51.100.77:5300"], "minTtl": 1}'; }
expect 'P37 a loop of aliases is a failure at once' '^(SERVFAIL|NXDOMAIN) 0$' pen -p "$(bad_dns '["loop1.test:443"]')" -- sh -c '
	t=$(date +%s); r=$(dig +tries=1 +time=5 loop1.test | sed -n "s/.*status: \([A-Z]*\).*/\1/p"); echo $r $(( ($(date +%s) - t) / 2 ))'
expect 'P40 a name that turns to metadata is no way there' '^ok .*denied ' pen -p "$(bad_dns '["flip.test:443"]')" -- sh -c '
	echo $(python3 ./probe tcp flip.test 443; sleep 2; python3 ./probe tcp flip.test 443)'
expect 'P42 a failure for AAAA leaves A usable' '^198.51.100.10$' pen -p "$(bad_dns '["sick.test:443"]')" -- dig +short +tries=1 +time=2 sick.test
expect 'P42 no address of a family is an answer without addresses' '^NOERROR 0$' pen --allow api.test:443 -- sh -c '
	dig +tries=1 +time=2 AAAA api.test | sed -n "s/.*status: \([A-Z]*\).*/\1/p; s/.*ANSWER: \([0-9]*\).*/\1/p" | tr "\n" " " | sed "s/ $//"'
expect 'P52 a name that does not exist stays one' 'NXDOMAIN' pen -p "$(bad_dns '["gone.test:443"]')" -- dig +tries=1 +time=2 gone.test
expect 'P52 a refused name has one answer, whatever the type' '^NXDOMAIN NXDOMAIN$' pen --allow api.test:443 -- sh -c '
	echo $(for t in A AAAA; do dig +tries=1 +time=2 $t other.test | sed -n "s/.*status: \([A-Z]*\).*/\1/p"; done)'

# asks RACE COUNT: lookups at once, each name new; prints how many failed and the slowest in ms.
cat >"$WS/asks.py" <<'P'
import socket, struct, sys, threading, time
rounds, count, slow = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ["slow"]
def ask(name, wait):
    s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(wait)
    q = b"".join(bytes([len(p)]) + p.encode() for p in name.split("."))
    s.sendto(struct.pack("!6H", 7, 256, 1, 0, 0, 0) + q + b"\0" + struct.pack("!2H", 1, 1), ("192.0.2.1", 53))
    r = s.recv(999)
    return r[3] & 15 if r[7] else 99
failed, worst = [], []
def one(name):
    t = time.monotonic()
    try:
        rcode = ask(name, 5)
        if rcode: failed.append((name, rcode))
        else:
            c = socket.create_connection(("198.51.100.10", 8443), 5); c.close()
    except OSError as e: failed.append((name, str(e)))
    worst.append(time.monotonic() - t)
if slow:
    for _ in range(20): threading.Thread(target=lambda: ask("slow.test", 30), daemon=True).start()
    t = socket.create_connection(("192.0.2.1", 53), 5); t.send(b"\0") # one byte, then silence
    time.sleep(0.3)
for r in range(rounds):
    threads = [threading.Thread(target=one, args=(f"n{r * count + i}.many.test",)) for i in range(count)]
    for t in threads: t.start()
    for t in threads: t.join()
print("failed", len(failed), failed[:3] or "", "slowest", int(max(worst) * 1000))
sys.stdout.flush()
import os; os._exit(0)
P
p=$(bad_dns '["*.many.test:8443", "slow.test:443"]')
expect 'P48 a server that does not answer for one name holds up no other' '^failed 0  slowest [0-9]{1,4}$' \
	pen -p "$p" -- python3 ./asks.py 1 100 slow
expect 'new names, many at once, are never refused by mistake' '^failed 0 ' pen -p "$p" -- python3 ./asks.py "${NAME_ROUNDS:-5}" 200

# P47: the worker dies in the middle of a session, and is replaced.
cat >"$WS/worker.py" <<'P'
import errno, os, socket, time
def tried(f):
    t = time.monotonic()
    try: f(); r = "ok"
    except socket.gaierror: r = "unresolved"
    except OSError as e: r = errno.errorcode[e.errno]
    return r if time.monotonic() - t < 2 else "slow " + r
old = socket.create_connection(("api.test", 8443), 2); old.recv(99)
open("ready", "w").close()
while os.path.exists("ready"): time.sleep(0.05)
time.sleep(0.3)
old.send(b"x")
print("old", old.recv(9).decode(),
      "new", tried(lambda: socket.create_connection(("198.51.100.10", 8443), 2)),
      "other", tried(lambda: socket.create_connection(("198.51.100.20", 8443), 2)),
      "name", tried(lambda: socket.getaddrinfo("dual.test", 443)))
P
worker_of() { # PID of pinfold: its child that runs as somebody else and has no child of its own
	local c
	for c in $(ps -o pid= --ppid "$1"); do
		grep -q '^Seccomp:.2' "/proc/$c/status" && [ -z "$(ps -o pid= --ppid "$c")" ] && echo "$c"
	done
}
rm -f "$WS/ready"
start_pen -p "$(net '["api.test:8443", "dual.test:443"]')" -- python3 -u ./worker.py >"$T/worker.out" 2>&1
until_true 10 test -e "$WS/ready"
# shellcheck disable=SC2154 # start_pen sets it
worker=$(worker_of "$pen_pid" | head -n 1)
check 'P47 the worker is found' test -n "$worker"
kill -KILL "${worker:-0}" 2>/dev/null
rm -f "$WS/ready"
wait "$pen_pid"
expect 'P47 what is open lives, what is known is reached, nothing else is, and another worker answers' '^old x new ok other EPERM name ok$' cat "$T/worker.out"

# --- D: unix sockets -------------------------------------------------------------------------------
cat >"$T/unix.py" <<'P'
import os, selectors, socket, sys
wait = selectors.DefaultSelector()
for n, kind in ((1, socket.SOCK_STREAM), (2, socket.SOCK_DGRAM), (5, socket.SOCK_SEQPACKET)):
    for which in "ab":
        s = socket.socket(socket.AF_UNIX, kind); p = f"/run/{which}{n}.sock"
        s.bind(p); os.chmod(p, 0o777)
        if n != 2: s.listen()
        wait.register(s, selectors.EVENT_READ)
open("/run/ready", "w").close()
while True:
    for k, _ in wait.select(): k.fileobj.recv(9) if k.fileobj.type == socket.SOCK_DGRAM else k.fileobj.accept()[0].close()
P
python3 "$T/unix.py" &
started+=($!)
disown -a
until_true 5 test -e /run/ready
p=$(policy '{"version": 1, "unixSockets": {"allow": ["/run/a1.sock", "/run/a2.sock", "/run/a5.sock"]}}')
each 'P80 an allowed socket of every kind' '^ok connected$' -p "$p" <<L
unix /run/a1.sock STREAM
unix /run/a2.sock DGRAM
unix /run/a5.sock SEQPACKET
L
each 'P80 and not its neighbour' "$refused" -p "$p" <<L
unix /run/b1.sock STREAM
unix /run/b2.sock DGRAM
unix /run/b5.sock SEQPACKET
L
# --- P76: whoever would run things outside ------------------------------------------------------------
if command -v dbus-daemon busctl gdbus systemd-run dbus-send | wc -l | grep -qx 5; then
	mkdir -p /run/dbus "/run/user/$TENANT"
	{
		grep -v ":$TENANT:" /etc/passwd
		echo "tenant:x:$TENANT:$TENANT::/nonexistent:/bin/sh"
	} >"$T/passwd"
	mount --bind "$T/passwd" /etc/passwd # a bus closes on users that it does not know
	chown "$TENANT" "/run/user/$TENANT"
	for bus in /run/dbus/system_bus_socket "/run/user/$TENANT/bus"; do
		conf=$(mktemp "$T/bus.XXXXXX")
		cat >"$conf" <<X
<busconfig><type>custom</type><listen>unix:path=$bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
X
		dbus-daemon --config-file="$conf" --nofork --nosyslog 2>"$conf.err" &
		started+=($!)
	done
	disown -a
	until_true 10 test -S /run/dbus/system_bus_socket -a -S "/run/user/$TENANT/bus"
	chmod 666 /run/dbus/system_bus_socket "/run/user/$TENANT/bus"
	session=(env "XDG_RUNTIME_DIR=/run/user/$TENANT" "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$TENANT/bus")
	talks=('busctl --system list' 'busctl --user list' 'busctl --address=unix:path=/run/dbus/system_bus_socket list'
		'gdbus call --system --dest org.freedesktop.DBus --object-path / --method org.freedesktop.DBus.ListNames'
		'gdbus call --session --dest org.freedesktop.DBus --object-path / --method org.freedesktop.DBus.ListNames'
		'dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames')
	for talk in "${talks[@]}"; do
		# shellcheck disable=SC2086
		expect "P76 bare it answers: $talk" 'DBus' setpriv --reuid=$TENANT --regid=$TENANT --clear-groups "${session[@]}" timeout 10 $talk
		# shellcheck disable=SC2086
		expect "P76 in a pen nobody answers: $talk" '^status [1-9]' pen -- "${session[@]}" sh -c "timeout 10 $talk >/dev/null 2>&1; echo status \$?"
	done
	expect 'P76 systemd-run starts nothing' '^status [1-9]' pen -- "${session[@]}" \
		sh -c 'timeout 10 systemd-run --user touch "$PWD/pwned" >/dev/null 2>&1; echo status $?'
	check '... and nothing was touched' test ! -e "$WS/pwned"
else
	skip 'P76 nobody outside runs things for the session' 'D-Bus tools are not installed'
fi
expect 'P77 what runtimes do with their own sockets works' '^ok 3 x$' pen -- python3 -c '
import multiprocessing, socket
a, b = socket.socketpair(); a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536); a.sendmsg([b"x"])
with multiprocessing.get_context("fork").Pool(1) as p: print("ok", p.apply(len, ("abc",)), b.recv(1).decode())'
expect 'P77 node starts children' '^ok$' pen -- node -e '
	process.stdout.write(require("child_process").spawnSync("echo", ["ok"]).stdout)'
expect 'P78 a symlink in the workspace to a socket outside is none' "$refused" \
	pen -- sh -c 'ln -sf /run/b1.sock l && python3 ./probe unix ./l'
finish

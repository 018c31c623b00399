#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that people use, as they are, with no proxy variable: each reaches the host that is allowed
# and is refused the one that is not.
. "$(dirname "$0")/lib.sh"
[ -n "${LAB_DIR:-}" ] && unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY no_proxy
lab
need curl git node python3 dig dpkg-deb apt-get busybox dropbear musl-gcc ssh
PORT=8081
site=$T/site
mkdir -p "$site" && echo hello >"$site/hello"
allow=(--allow "api.test:$PORT")

# What is fetched: a file, a repository, packages for python, Debian and node.
make_git() {
	git init -q -b main "$T/src" && cd "$T/src" && echo one >f && git add f &&
		git -c user.name=a -c user.email=a@b.test commit -qm one &&
		git clone -q --bare "$T/src" "$site/repo.git" && git -C "$site/repo.git" update-server-info
	cd "$OLDPWD" || return
}
make_wheel() {
	mkdir -p "$site/simple/tinypkg"
	python3 - "$site/simple/tinypkg" <<'P'
import sys, zipfile
name = "tinypkg-1.0-py3-none-any.whl"
with zipfile.ZipFile(sys.argv[1] + "/" + name, "w") as z:
    z.writestr("tinypkg.py", "answer = 42\n")
    info = "tinypkg-1.0.dist-info/"
    z.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: tinypkg\nVersion: 1.0\n")
    z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr(info + "RECORD", "")
open(sys.argv[1] + "/index.html", "w").write(f'<a href="{name}">{name}</a>')
P
}
make_deb() {
	mkdir -p "$T/deb/DEBIAN" "$site/debian"
	printf 'Package: tinydeb\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.test>\nDescription: x\n' \
		>"$T/deb/DEBIAN/control"
	dpkg-deb -b "$T/deb" "$site/debian/tinydeb.deb" >/dev/null
	cd "$site/debian" || return
	{
		cat "$T/deb/DEBIAN/control"
		printf 'Filename: ./tinydeb.deb\nSize: %s\nSHA256: %s\n' "$(stat -c %s tinydeb.deb)" \
			"$(sha256sum tinydeb.deb | cut -d' ' -f1)"
	} >Packages
	cd "$OLDPWD" || return
}
make_npm() {
	mkdir -p "$T/npm/package" && echo '{"name": "tinynpm", "version": "1.0.0"}' >"$T/npm/package/package.json"
	tar -C "$T/npm" -czf "$site/tinynpm-1.0.0.tgz" package
	printf '{"name": "tinynpm", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": "tinynpm",
		"version": "1.0.0", "dist": {"tarball": "http://api.test:%s/tinynpm-1.0.0.tgz"}}}}' $PORT >"$site/tinynpm"
}
make_git && make_wheel && make_deb && make_npm
chmod -R a+rX "$T/site"
(cd "$site" && exec python3 -m http.server $PORT --bind 0.0.0.0) >"$T/http.log" 2>&1 &
started+=($!)
disown -a # no words about them when they are killed at the end
until_true 10 curl -sf "http://198.51.100.20:$PORT/hello"
until_true 10 curl -sf "http://198.51.100.10:$PORT/hello"

# both NAME COMMAND...: with HOST in the command it works for the allowed host, and for none else.
both() {
	local name=$1 out
	shift
	check "$name reaches the allowed host" pen "${allow[@]}" -- "${@//HOST/api.test}"
	if out=$(pen "${allow[@]}" -- "${@//HOST/other.test}" 2>&1 </dev/null); then
		plan_not_ok "$name is refused another host" "$out"
	else
		plan_ok "$name is refused another host"
	fi
}

both curl curl -sSf -m 5 "http://HOST:$PORT/hello"
both 'curl by a literal address' sh -c "curl -sSf -m 5 -o /dev/null http://api.test:$PORT/hello &&
	case HOST in api.test) curl -sSf -m 5 http://198.51.100.10:$PORT/hello ;; *) curl -sSf -m 5 http://198.51.100.20:$PORT/hello ;; esac"
cp "$LAB_DIR/ca.pem" "$WS/ca.pem"
check 'curl speaks TLS with the allowed host' \
	pen --allow "api.test:$LAB_TLS_PORT" -- curl -sSf -m 5 --cacert ca.pem "https://api.test:$LAB_TLS_PORT/"
status 'curl speaks no TLS on another port of it' 7 \
	pen "${allow[@]}" -- curl -sS -m 5 --cacert ca.pem "https://api.test:$LAB_TLS_PORT/"
both 'git over http' sh -c "rm -rf clone && git clone -q http://HOST:$PORT/repo.git clone && test -e clone/f"
both 'python urllib' python3 -c "import urllib.request as u; assert u.urlopen('http://HOST:$PORT/hello', timeout=5).read() == b'hello\n'"
both 'node fetch' node -e "fetch('http://HOST:$PORT/hello').then(r => r.text()).then(t => process.exit(t == 'hello\n' ? 0 : 1), () => process.exit(2))"
both 'node http' node -e "require('http').get('http://HOST:$PORT/hello', r => process.exit(r.statusCode == 200 ? 0 : 1)).on('error', () => process.exit(2))"
both 'a static busybox, nslookup' sh -c 'busybox nslookup -type=a HOST | grep -q 198.51.100.10'
both 'dig over TCP' sh -c 'dig +tcp +tries=1 +time=2 +short HOST | grep -q 198.51'
both pip sh -c "rm -rf venv && python3 -m venv venv && venv/bin/pip install -q --no-cache-dir --disable-pip-version-check \
	--retries 0 --timeout 5 --index-url http://HOST:$PORT/simple --trusted-host HOST tinypkg && venv/bin/python -c 'import tinypkg'"
both apt sh -c "rm -rf apt && mkdir -p apt/lists/partial apt/cache/archives/partial apt/etc && cd apt &&
	echo 'deb [trusted=yes] http://HOST:$PORT/debian ./' > sources.list && touch status &&
	apt-get -qq -o Dir::Etc=\$PWD/etc -o Dir::Etc::SourceList=\$PWD/sources.list -o Dir::State=\$PWD -o Dir::State::Lists=\$PWD/lists \
		-o Dir::State::status=\$PWD/status -o Dir::Cache=\$PWD/cache -o Acquire::Retries=0 -o APT::Update::Error-Mode=any update &&
	grep -rq tinydeb lists"
if command -v npm >/dev/null; then
	both npm sh -c "rm -rf n && mkdir n && cd n && npm install --silent --no-audit --no-fund --no-update-notifier --fetch-retries=0 \
		--cache \$PWD/cache --registry http://HOST:$PORT/ tinynpm && test -e node_modules/tinynpm/package.json"
else
	skip 'npm reaches the allowed host and no other' 'npm is not installed'
fi

# A static musl program: its resolver asks for A and AAAA at once on unconnected sockets, checks where
# answers come from, and takes no answer as an error.
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
			return 0;
	return perror("connect"), 1;
}
C
check 'a program is built with musl' musl-gcc -static -o "$WS/m" "$T/m.c"
chmod 755 "$WS/m"
both 'P42 a static musl program' ./m HOST $PORT

# Git over ssh: a real server; who is who comes from an account file that only this network sees.
mkdir -p "$T/git/.ssh" && git clone -q --bare "$T/src" "$T/git/repo.git"
dropbearkey -t ed25519 -f "$T/host.key" >/dev/null 2>&1
ssh-keygen -q -t ed25519 -N '' -f "$WS/id" && chown "$TENANT:$TENANT" "$WS/id" && chmod 600 "$WS/id"
cp "$WS/id.pub" "$T/git/.ssh/authorized_keys"
chown -R 10002:10002 "$T/git" && chmod 700 "$T/git/.ssh" && chmod 600 "$T/git/.ssh/authorized_keys"
{
	grep -v ':1000[12]:' /etc/passwd
	echo "gituser:x:10002:10002::$T/git:/bin/sh"
	echo "tenant:x:$TENANT:$TENANT::/nonexistent:/bin/sh"
} >"$T/passwd"
grep -qx /bin/sh /etc/shells && mount --bind "$T/passwd" /etc/passwd
dropbear -F -E -s -r "$T/host.key" -P "$T/dropbear.pid" -p 198.51.100.22:2222 -p 198.51.100.20:2222 2>"$T/dropbear.log" &
started+=($!)
disown -a
until_true 10 bash -c 'exec 3<>/dev/tcp/198.51.100.22/2222'
allow=(--allow git.test:2222)
both 'P21 git over ssh' env GIT_SSH_COMMAND='ssh -p 2222 -i id -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null' \
	sh -c "rm -rf s && h=\$(echo HOST | sed s/api/git/) && git clone -q gituser@\$h:repo.git s && test -e s/f"
umount /etc/passwd

# QUIC libraries send on connected sockets with control messages (ECN, segment sizes).
cat >"$WS/quic.py" <<'P'
import socket, sys
s = socket.socket(type=socket.SOCK_DGRAM)
s.settimeout(3)
s.connect((sys.argv[1], int(sys.argv[2])))
s.sendmsg([b"hello"], [(socket.IPPROTO_IP, socket.IP_TOS, b"\2\0\0\0")])
assert s.recv(99) == b"hello"
SOL_UDP, UDP_SEGMENT = 17, 103
s.sendmsg([b"a" * 100 + b"b" * 50], [(SOL_UDP, UDP_SEGMENT, b"\x64\0")])
assert sorted(len(s.recv(999)) for _ in range(2)) == [50, 100]
P
allow=(--allow api.test:443/udp)
both 'a datagram client with control messages, as QUIC has,' python3 quic.py HOST 443
finish

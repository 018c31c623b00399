#!/bin/bash
# SPDX-License-Identifier: MIT
# A day's work inside a pen with no policy but its destinations: each step works, and leaves not one
# denial in the record.
. "$(dirname "$0")/lib.sh"
[ -n "${LAB_DIR:-}" ] && unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY no_proxy
lab
need git make cmake gcc python3 node sqlite3 gdb pytest curl
with_auditing
PORT=8081

# quiet_work SENTENCE REGEX [OPTIONS...] -- COMMAND...: it works, and nothing was refused on the way.
quiet_work() {
	fresh_log
	expect "$1" "$2" pen "${@:3}"
	check '... with no denial in the record' python3 "$e2e/denials.py" "$LOG" "${known[@]}"
}
known=() # what a program tries by itself, as EVENT:NAME-OR-PATH-OR-DESTINATION
have() { command -v "$1" >/dev/null; }
# have_or_skip TOOL SENTENCE
have_or_skip() {
	have "$1" && return
	skip "$2" "$1 is not installed"
	return 1
}

# --- what is fetched: a repository, a wheel, a package for node ------------------------------------
site=$T/site
mkdir -p "$site/wheels" "$T/src" "$T/npm/package"
git init -q -b main "$T/src"
cat >"$T/src/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.10)
project(day C)
add_executable(day day.c)
enable_testing()
add_test(NAME day COMMAND day)
C
cat >"$T/src/day.c" <<'C'
#include <stdio.h>

static int answer(int n)
{
	return n + 1;
}

int main(void)
{
	printf("%d\n", answer(41));
	return 0;
}
C
printf 'all: day\n\t./day\nday: day.c\n\t$(CC) -g -o $@ $<\nclean:\n\trm -f day\n' >"$T/src/Makefile"
printf '.env\n' >"$T/src/.gitignore"
(cd "$T/src" && git add -A && git -c user.name=a -c user.email=a@b.test commit -qm one)
git clone -q --bare "$T/src" "$site/day.git"
git -C "$site/day.git" update-server-info
python3 - "$site/wheels" <<'P'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/daypkg-1.0-py3-none-any.whl", "w") as z:
    z.writestr("daypkg.py", "answer = 42\n")
    info = "daypkg-1.0.dist-info/"
    z.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: daypkg\nVersion: 1.0\n")
    z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr(info + "RECORD", "")
P
echo '{"name": "daynpm", "version": "1.0.0"}' >"$T/npm/package/package.json"
echo 'module.exports = 42' >"$T/npm/package/index.js"
tar -C "$T/npm" -czf "$site/daynpm-1.0.0.tgz" package
integrity=sha512-$(openssl dgst -sha512 -binary "$site/daynpm-1.0.0.tgz" | base64 -w0)
chmod -R a+rX "$site"
(cd "$site" && exec python3 -m http.server $PORT --bind 0.0.0.0) >"$T/http.log" 2>&1 &
started+=($!)
disown -a # no words about them when they are killed at the end
until_true 10 curl -sf "http://198.51.100.10:$PORT/wheels/"
cp -r "$site/wheels" "$WS/wheels"
git clone -q --bare "$T/src" "$WS/local.git"
cp "$LAB_DIR/ca.pem" "$WS/ca.pem"
# Repositories that were there have a read-only configuration: who commits is said by the environment.
for who in AUTHOR COMMITTER; do echo "export GIT_${who}_NAME=a GIT_${who}_EMAIL=a@b.test"; done >"$WS/id"
chown -R "$TENANT:$TENANT" "$WS"
lab_site=(--allow "api.test:$PORT")
tls=(--allow "api.test:$LAB_TLS_PORT")

# --- git -------------------------------------------------------------------------------------------
quiet_work 'git clones a repository of the workspace' '^one$' -- sh -c '
	git clone -q local.git local && git -C local log --format=%s'
quiet_work 'git clones from an allowed host' '^one$' "${lab_site[@]}" -- sh -c "
	git clone -q http://api.test:$PORT/day.git day && git -C day log --format=%s"
quiet_work 'branch, commit, rebase, stash, tag, gc and push to the workspace work' '^pushed 3$' -- sh -c '
	cd local && . ../id && git checkout -qb side && echo side >side && git add side && git commit -qm side &&
	git checkout -q main && echo main >main && git add main && git commit -qm main &&
	git checkout -q side && git rebase -q main && echo more >>side && git stash -q && git stash pop -q &&
	git checkout -q -- side && git tag v1 && git gc -q && git push -q origin side &&
	echo pushed $(git log --oneline origin/side | wc -l)'
quiet_work 'git rebase -i, commit --amend, cherry-pick, revert, bisect and worktree work' '^done$' -- sh -c '
	cd local && . ../id && GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~1 && git commit -q --amend -m side2 &&
	git revert --no-edit HEAD >/dev/null &&
	git cherry-pick HEAD~1 >/dev/null && git bisect start HEAD HEAD~3 >/dev/null && git bisect reset >/dev/null 2>&1 &&
	git worktree add -q ../tree main && git -C ../tree status --short && git worktree remove ../tree &&
	echo "done"'
quiet_work 'git reads a repository that was there, and commits to it' '^two$' -- sh -c '
	cd day && . ../id && git commit -q --allow-empty -m two && git log -1 --format=%s'

# --- compilers -------------------------------------------------------------------------------------
quiet_work 'make builds and runs' '^42$' -- sh -c 'cd day && make -s'
quiet_work 'cmake configures, builds, tests' '100% tests passed' -- sh -c '
	cd day && cmake -S . -B out >/dev/null && cmake --build out -j2 >/dev/null && ctest --test-dir out'
quiet_work 'a program with the address and leak sanitizers runs' '^42$' -- sh -c '
	cd day && gcc -g -fsanitize=address,undefined -o asan day.c && ./asan'
quiet_work 'gdb stops a child of its own, and shows its stack' 'answer \(n=41\)' -- sh -c '
	cd day && make -s day >/dev/null && gdb -q -batch -ex "break answer" -ex run -ex bt ./day'
quiet_work 'gdb attaches to a process of the session' 'in .*(sleep|nanosleep)' -- sh -c '
	sleep 60 & gdb -q -batch -p $! -ex bt 2>&1; kill $!'
if have_or_skip strace 'strace works'; then
	quiet_work 'strace follows a child' 'execve\(' -- sh -c 'strace -f true 2>&1'
fi
if have_or_skip cargo 'cargo builds a crate without dependencies'; then
	quiet_work 'cargo builds a crate without dependencies' 'Hello' -- sh -c '
		cargo new -q --vcs none crate && cd crate && cargo run -q --offline'
fi
if have_or_skip go 'go builds, tests and speaks TLS'; then
	mkdir "$WS/gomod"
	cat >"$WS/gomod/main.go" <<'G'
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
)

func main() {
	pem, _ := os.ReadFile("../ca.pem")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	r, err := c.Get(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("go", r.StatusCode)
}
G
	printf 'package main\n\nimport "testing"\n\nfunc TestNothing(t *testing.T) {}\n' >"$WS/gomod/main_test.go"
	printf 'module day\n\ngo 1.19\n' >"$WS/gomod/go.mod"
	chown -R "$TENANT:$TENANT" "$WS/gomod"
	quiet_work 'go builds, tests and speaks TLS with the allowed host' '^go 200$' "${tls[@]}" -- sh -c "
		cd gomod && GOFLAGS=-mod=mod go test . >/dev/null && go build -o ../goday . && ../goday https://api.test:$LAB_TLS_PORT/"
	status 'the same program is refused another host' 1 \
		pen "${tls[@]}" -- ./goday "https://other.test:$LAB_TLS_PORT/"
fi
if have_or_skip java 'java speaks TLS'; then
	cat >"$WS/Day.java" <<'J'
import java.io.FileInputStream;
import java.net.URL;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.*;

class Day {
	public static void main(String[] args) throws Exception {
		KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
		store.load(null);
		store.setCertificateEntry("lab", CertificateFactory.getInstance("X.509")
			.generateCertificate(new FileInputStream("ca.pem")));
		TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
		trust.init(store);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(null, trust.getTrustManagers(), null);
		HttpsURLConnection c = (HttpsURLConnection) new URL(args[0]).openConnection();
		c.setSSLSocketFactory(context.getSocketFactory());
		System.out.println("java " + c.getResponseCode());
	}
}
J
	chown "$TENANT:$TENANT" "$WS/Day.java"
	quiet_work 'java speaks TLS with the allowed host' '^java 200$' "${tls[@]}" -- \
		java Day.java "https://api.test:$LAB_TLS_PORT/"
	status 'the same program is refused another host' 1 \
		pen "${tls[@]}" -- java Day.java "https://other.test:$LAB_TLS_PORT/"
fi

# --- python ----------------------------------------------------------------------------------------
quiet_work 'pip installs a local wheel into a venv, and uninstalls it' '^42$' -- sh -c '
	python3 -m venv v && v/bin/pip install -q --no-index --find-links wheels --disable-pip-version-check daypkg &&
	v/bin/python -c "import daypkg; print(daypkg.answer)" && v/bin/pip uninstall -q -y daypkg'
quiet_work 'pip installs from an allowed host' '^42$' "${lab_site[@]}" -- sh -c "
	v/bin/pip install -q --no-cache-dir --disable-pip-version-check --retries 0 --no-index \
		--find-links http://api.test:$PORT/wheels/ --trusted-host api.test daypkg &&
	v/bin/python -c 'import daypkg; print(daypkg.answer)'"
quiet_work 'pytest runs tests, with servers and temporary directories of their own' '4 passed' -- sh -c '
	mkdir -p pt && cat >pt/test_day.py <<P
import http.server, multiprocessing, sqlite3, subprocess, threading, urllib.request
def test_tmp(tmp_path): (tmp_path / "x").write_text("1"); assert (tmp_path / "x").read_text() == "1"
def test_child(): assert subprocess.check_output(["echo", "x"]) == b"x\n"
def test_server():
    s = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=s.handle_request, daemon=True).start()
    assert urllib.request.urlopen("http://127.0.0.1:%d/" % s.server_port).status == 200
def square(n): return n * n
def test_pool():
    with multiprocessing.Pool(2) as p: assert p.map(square, [2, 3]) == [4, 9]
P
	pytest -q pt'
quiet_work 'sqlite3 writes a database, in the journal and in the log mode' '^1\|wal$' -- sh -c '
	rm -f day.db && sqlite3 day.db "create table t(n); insert into t values (1); pragma journal_mode=wal;" >/dev/null &&
	sqlite3 day.db "begin immediate; update t set n = 1; commit; select n, (select * from pragma_journal_mode) from t;"'

# --- node ------------------------------------------------------------------------------------------
if have_or_skip npm 'npm ci installs'; then
	mkdir -p "$WS/app/dep"
	printf '{"name": "app", "version": "1.0.0", "scripts": {"test": "node -p \\"require(String.fromCharCode(100,97,121,110,112,109)) + require(String.fromCharCode(100,101,112))\\""},
		"dependencies": {"dep": "file:dep", "daynpm": "1.0.0"}}' >"$WS/app/package.json"
	printf '{"name": "dep", "version": "1.0.0"}' >"$WS/app/dep/package.json"
	echo 'module.exports = 0' >"$WS/app/dep/index.js"
	printf '{"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
		"": {"name": "app", "version": "1.0.0", "dependencies": {"dep": "file:dep", "daynpm": "1.0.0"}},
		"dep": {"version": "1.0.0"},
		"node_modules/dep": {"resolved": "dep", "link": true},
		"node_modules/daynpm": {"version": "1.0.0", "resolved": "http://api.test:%s/daynpm-1.0.0.tgz",
			"integrity": "%s"}}}' $PORT "$integrity" >"$WS/app/package-lock.json"
	chown -R "$TENANT:$TENANT" "$WS/app"
	quiet_work 'npm ci installs what the lock file says, and npm test runs' '^42$' "${lab_site[@]}" -- sh -c "
		cd app && npm ci --silent --no-audit --no-fund --no-update-notifier --fetch-retries=0 \
			--registry http://api.test:$PORT/ && npm test --silent --no-update-notifier"
fi

# --- a browser -------------------------------------------------------------------------------------
if have_or_skip chromium 'chromium shows a page'; then
	page="<p>page</p><img src=http://other.test/x.png><script src=http://api.test:$PORT/daynpm-1.0.0.tgz></script>"
	echo "<html><body>$page</body></html>" >"$site/page.html"
	# Without --no-sandbox it makes namespaces, which "seccomp": {"allowNested": true} lets it.
	chromium=(timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-background-networking
		--disable-component-update --no-first-run --disable-sync
		--host-resolver-rules='MAP *.google.com ~NOTFOUND,MAP *.googleapis.com ~NOTFOUND,MAP *.gvt1.com ~NOTFOUND'
		--dump-dom)
	# It looks for D-Bus, and asks for a route by a datagram socket that it never uses.
	known=(unix_deny:/run/dbus/system_bus_socket net_deny:2001:4860:4860::8888)
	quiet_work 'P112 chromium --headless --no-sandbox shows a page of the allowed host' 'ok 198.51.100.10' \
		--allow api.test:80 -- "${chromium[@]}" http://api.test/
	fresh_log
	expect 'P112 a page comes, though what it includes from another host is refused' '<p>page</p>' \
		pen "${lab_site[@]}" -- "${chromium[@]}" "http://api.test:$PORT/page.html"
	logged '... and the record names that host' 'ev.event == "dns_deny" and ev.name == "other.test"'
fi
finish

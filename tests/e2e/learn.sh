#!/bin/bash
# SPDX-License-Identifier: MIT
# A learnt policy is small, holds no secret, says why each line is there, and runs the same command
# without a denial.
. "$(dirname "$0")/lib.sh"
[ -n "${LAB_DIR:-}" ] && unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY no_proxy
lab
need git make gcc python3 node pytest
with_auditing
PORT=8081
export HOME=$T/launcher # where "~" is
mkdir -p "$HOME" && chown "$TENANT:$TENANT" "$HOME"
P=$T/learnt.json

learn() { (cd "$WS" && exec "$PINFOLD" learn --quiet --force -o "$P" "$@"); }
run_learnt() { pen -p "$P" -- "$@"; }
# said SENTENCE EXPRESSION: it holds for the learnt policy.
said() { check "$1" python3 "$e2e/learnt.py" "$P" "$2"; }
# round NAME REGEX PREPARE COMMAND...: learnt, then run by what was learnt, without a denial.
# PREPARE is a function that lays out the same ground for both.
round() {
	"$3"
	expect "$1 works while it is learnt" "$2" learn -- "${@:4}"
	"$3"
	fresh_log
	expect "$1 works by the learnt policy" "$2" run_learnt "${@:4}"
	check "... with no denial in the record" python3 "$e2e/denials.py" "$LOG"
	check "... and lint takes the policy" sh -c '"$0" lint "$1" >/dev/null; test $? -le 1' "$PINFOLD" "$P"
}
nothing() { :; }

# --- the ground: a repository, a wheel, a package, files outside ------------------------------------
site=$T/site
mkdir -p "$site/wheels" "$T/src" "$T/npm/package"
git init -q -b main "$T/src"
printf 'int main(void) { return 0; }\n' >"$T/src/day.c"
printf 'all: day\n\t./day && echo made\nday: day.c\n\t$(CC) -o $@ $<\n' >"$T/src/Makefile"
(cd "$T/src" && git add -A && git -c user.name=a -c user.email=a@b.test commit -qm one)
git clone -q --bare "$T/src" "$site/day.git"
chown -R "$TENANT:$TENANT" "$site/day.git" # git reads no other's
git -c safe.directory='*' -C "$site/day.git" update-server-info
python3 - "$site/wheels" <<'W'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/daypkg-1.0-py3-none-any.whl", "w") as z:
    z.writestr("daypkg.py", "answer = 42\n")
    info = "daypkg-1.0.dist-info/"
    z.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: daypkg\nVersion: 1.0\n")
    z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr(info + "RECORD", "")
W
echo '{"name": "daynpm", "version": "1.0.0"}' >"$T/npm/package/package.json"
echo 'module.exports = 42' >"$T/npm/package/index.js"
tar -C "$T/npm" -czf "$site/daynpm-1.0.0.tgz" package
integrity=sha512-$(openssl dgst -sha512 -binary "$site/daynpm-1.0.0.tgz" | base64 -w0)
chmod -R a+rX "$site"
(cd "$site" && exec python3 -m http.server $PORT --bind 0.0.0.0) >"$T/http.log" 2>&1 &
started+=($!)
disown -a
until_true 10 curl -sf "http://198.51.100.10:$PORT/wheels/"

# --- whole tools ------------------------------------------------------------------------------------
fresh_source() { rm -rf "$WS/day" && cp -r "$T/src" "$WS/day" && chown -R "$TENANT:$TENANT" "$WS"; }
round 'make' '^made$' fresh_source make -s -C day
said 'the programs that it started are named' 'all(n in t.split("// It ran: ")[1].splitlines()[0].split(", ") for n in ("make", "day"))'
said 'for make the workspace is enough' 'p["workspaceAccess"] == "rw" and not fs and not net'

no_clone() { rm -rf "$WS/clone"; }
round 'git clone of a repository outside' '^one$' no_clone sh -c "git clone -q '$site/day.git' clone && git -C clone log --format=%s"
said 'it may read that repository and write nothing outside' 'not net and "rw" not in fs and
	all(x.startswith("'"$site"'/day.git") for x in fs["ro"]) and len(fs["ro"]) < 8'
round 'git clone over the network' '^one$' no_clone sh -c "git clone -q http://api.test:$PORT/day.git clone && git -C clone log --format=%s"
said 'it may reach that host by its name' 'net == ["api.test:'$PORT'"] and not fs'

fresh_tests() {
	rm -rf "$WS/pt" && mkdir "$WS/pt"
	printf 'def test_it(tmp_path):\n    (tmp_path / "x").write_text("x")\n' >"$WS/pt/test_it.py"
	chown -R "$TENANT:$TENANT" "$WS"
}
# While it is learnt /tmp is the host's, and pytest leaves its directory there.
left=/tmp/pytest-of-$TENANT
[ -e "$left" ] && left=
round 'pytest' '1 passed' fresh_tests pytest -q pt
said 'for pytest the workspace is enough' 'not fs and not net'
[ -z "$left" ] || rm -rf "$left"

no_target() { rm -rf "$WS/target"; }
if python3 -m pip --version >/dev/null 2>&1; then
	round 'pip from a directory outside' '^42$' no_target sh -c "
		python3 -m pip install -q --no-index --find-links '$site/wheels' --target target daypkg &&
		PYTHONPATH=target python3 -c 'import daypkg; print(daypkg.answer)'"
	said 'it may read the wheels' 'not net and "rw" not in fs and fs["ro"] == ["'"$site"'/wheels"]'
	round 'pip from a site' '^42$' no_target sh -c "
		python3 -m pip install -q --no-index --trusted-host api.test --find-links http://api.test:$PORT/wheels/ --target target daypkg &&
		PYTHONPATH=target python3 -c 'import daypkg; print(daypkg.answer)'"
	said 'it may reach the site' 'net == ["api.test:'$PORT'"]'
else
	skip 'pip' 'pip is not installed'
fi

fresh_npm() {
	rm -rf "$WS/np" && mkdir "$WS/np"
	echo '{"name": "np", "version": "1.0.0", "dependencies": {"daynpm": "http://api.test:'$PORT'/daynpm-1.0.0.tgz"}}' >"$WS/np/package.json"
	cat >"$WS/np/package-lock.json" <<-J
		{"name": "np", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
		 "": {"name": "np", "version": "1.0.0", "dependencies": {"daynpm": "http://api.test:$PORT/daynpm-1.0.0.tgz"}},
		 "node_modules/daynpm": {"version": "1.0.0", "resolved": "http://api.test:$PORT/daynpm-1.0.0.tgz", "integrity": "$integrity"}}}
	J
	chown -R "$TENANT:$TENANT" "$WS"
}
if command -v npm >/dev/null; then
	round 'npm ci' '^42$' fresh_npm sh -c 'cd np && npm ci --silent --no-audit --no-fund && node -p "require(\"daynpm\")"'
	said 'it may reach the site of the package, and nobody else' '"api.test:'$PORT'" in net and len(net) <= 2'
else
	skip 'npm ci' 'npm is not installed'
fi
round 'a fetch of node' '^200$' nothing node -e "fetch('http://api.test:$PORT/wheels/').then(r => console.log(r.status))"
said 'it may reach that host' 'net == ["api.test:'$PORT'"] and p["workspaceAccess"] == "ro"'

# --- what it folds ------------------------------------------------------------------------------------
out=$T/out
lay_out() {
	rm -rf "$out" "$HOME/.cache" && mkdir -p "$out"/{many/deep,few,bin,new} "$HOME/.cache/tool/a" "$HOME/.ssh"
	local i
	for i in 1 2 3; do echo text | tee "$out/many/$i" >"$out/few/$i"; done
	printf '#!/bin/sh\necho ran\n' >"$out/bin/tool" && chmod 755 "$out/bin/tool"
	echo secret | tee "$HOME/.ssh/id" >"$out/.env"
	ln -sfn few "$out/link"
	chown -R "$TENANT:$TENANT" "$out" "$HOME"
}
round 'a script' '^ran$' lay_out sh -c "cat '$out'/many/[123] '$out/few/1' '$out/link/2' >/dev/null; '$out/bin/tool'
	echo x >'$out/new/file'; rm '$out/new/file'; echo x >'$HOME/.cache/tool/a/b'; test -d '$out'"
said 'three files of a directory become the directory' '"'"$out"'/many" in fs["ro"] and "'"$out"'/many/1" not in fs["ro"]'
said 'two do not, nor what they have in common with others' '"'"$out"'/few/1" in fs["ro"] and "'"$out"'" not in fs["ro"]'
said 'what is reached by a symlink is granted by it' '"'"$out"'/link/2" in fs["ro"]'
said 'what is executed may be executed' 'fs["rox"] == ["'"$out"'/bin/tool"]'
said 'where a file comes and goes the directory is writable' '"'"$out"'/new" in fs["rw"]'
said 'a cache below the home is named by its directory' '"~/.cache/tool" in fs["rw"]'
said 'and nothing else is writable' 'len(fs["rw"]) == 2'
said 'each entry says why' 'all(" by " in l or "symlink" in l for l in t.splitlines() if l.strip().startswith("\"/") or "\"~" in l)'

lay_out
learn -- sh -c "cat '$out/.env' '$HOME/.ssh/id' /etc/shadow; ls / '$HOME' >/dev/null; python3 probe tcp 169.254.169.254 80" >/dev/null 2>&1
said 'nothing sensitive is granted' '"ssh" not in str(p) and ".env" not in str(p) and "shadow" not in str(p) and "169.254" not in str(p)'
said 'but it is told' '"not granted: '"$HOME"'/.ssh/id (read by cat)" in t and "'"$out"'/.env (read by cat)" in t and "169.254.169.254" in t'
said 'neither a home nor the top of the tree is granted' '"/" not in str(fs.get("ro", [])) .split("\"") and "~" not in fs.get("ro", [])'

learn -- python3 -c '
import socket
for n in "a.wild.test", "b.wild.test", "c.wild.test", "api.test", "v6only.test":
    socket.create_connection((n, 443), 2).close()
socket.create_connection(("198.51.100.20", 8443), 2).close()
socket.create_connection(("10.9.9.9", 443), 2).close()
socket.getaddrinfo("other.test", 0)' >/dev/null 2>&1
said 'three siblings become a wildcard' '"*.wild.test:443" in net and "a.wild.test:443" not in net'
said 'others keep their names' '"api.test:443" in net and "v6only.test:443" in net'
said 'an address without a name is a literal' '"198.51.100.20:8443" in net and "10.9.9.9:443" in net'
said 'a name that was only looked up is said to be' '"other.test:443" in net and "; nothing was sent" in t'
learn -- python3 -c '
import socket
for n in "a.wild.test", "b.wild.test": socket.create_connection((n, 443), 2).close()
socket.create_connection(("artifactory.test", 443), 2).close()' >/dev/null 2>&1
said 'two siblings do not' 'set(net) >= {"a.wild.test:443", "b.wild.test:443"} and not any("*" in n for n in net)'
said 'a name that leads to private space needs the address, too' 'set(net) >= {"artifactory.test:443", "10.9.9.9:443"}'
fresh_log
status 'and by both it works' 0 run_learnt python3 -c '
import socket
socket.create_connection(("artifactory.test", 443), 2)'

python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); time.sleep(600)' "$T/outside.sock" &
started+=($!)
disown -a
until_true 5 test -S "$T/outside.sock" && chmod 777 "$T/outside.sock"
round 'a unix socket outside' '^ok' nothing python3 ./probe unix "$T/outside.sock"
said 'it is named' 'p["unixSockets"]["allow"] == ["'"$T"'/outside.sock"]'

# --- names that try to speak ---------------------------------------------------------------------------
mkdir -p "$out/odd" && for f in $'new\nline' $'esc\e[31m' 'sta*r' $'\xff' 'quo"te' 'back\slash' '// comment'; do echo text >"$out/odd/$f"; done
learn -- python3 -c 'import os, sys
for f in os.listdir(sys.argv[1].encode()): open(os.path.join(sys.argv[1].encode(), f)).read()' "$out/odd" >/dev/null 2>&1
said 'a directory of odd names is one entry' 'fs["ro"] == ["'"$out"'/odd"]'
learn -- python3 -c 'import sys
for f in sys.argv[1:]: open(f).read()' "$out/odd/"$'new\nline' "$out/odd/sta*r" >/dev/null 2>&1
said 'what a policy cannot spell is left out, on one line' '"ro" not in fs and t.count("can'"'"'t spell its name") == 2 and "\nline" not in t'
learn -- python3 -c 'import sys
for f in sys.argv[1:]: open(f).read()' "$out/odd/quo\"te" "$out/odd/back\slash" >/dev/null 2>&1
said 'what it can is quoted' 'set(fs["ro"]) == {"'"$out"'/odd/quo\"te", "'"$out"'/odd/back\\slash"}'

# --- the verb ------------------------------------------------------------------------------------------
status 'the status is the command'"'"'s' 7 learn -- sh -c 'exit 7'
(cd "$WS" && "$PINFOLD" learn -o - -q -- true) >"$T/stdout" 2>/dev/null
check 'a policy goes to standard output' grep -q '"version": 1' "$T/stdout"
status 'a policy that is there is not written over' 64 sh -c 'cd "$1" && "$0" learn -o "$2" -- true' "$PINFOLD" "$WS" "$P"
status 'without -o it does not run' 64 "$PINFOLD" learn -- true
status 'without a command it does not run' 64 "$PINFOLD" learn -o "$P"
status 'a place that can'"'"'t be written is told before the command runs' 64 sh -c 'cd "$1" && "$0" learn -o /nonexistent/p -- touch ran' "$PINFOLD" "$WS"
check 'so it did not' test ! -e "$WS/ran"
(cd "$WS" && "$PINFOLD" learn -q -o in.json -- touch touched)
status 'a policy in the workspace protects itself' 0 pen -p "$WS/in.json" -- sh -c 'touch touched && ! echo >>in.json'
learn -- sh -c ': --password hunter2' x --token abc >/dev/null 2>&1
learn -- true --password hunter2 >/dev/null 2>&1
said 'secrets of the command line are not written down' '"hunter2" not in t'
check 'nothing is left beside the policy' sh -c 'test "$(ls -d "$0"* | wc -l)" -eq 1' "$P"

finish

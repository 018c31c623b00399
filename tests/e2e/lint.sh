#!/bin/bash
# SPDX-License-Identifier: MIT
# lint: findings with code, reason and fix, in words and as JSON; --fix mends the file and never widens.
. "$(dirname "$0")/lib.sh"
need python3

cd "$T" || exit 1
cat >clean.json <<'P'
{ "version": 1, "workspace": "/srv/a", "network": { "allowOutbound": ["api.example.org:443"] } }
P
cat >bad.json <<'P'
{ "version": 1, // what it is
  "workspace": "/srv/a",
  "lane": "alice",
  "filesystem": {
    "rw": ["/srv/a/in", "/srv/b"],
    "sensitive": false // to be quick
  },
  "network": {
    "allowOutbound": [
      "api.example.org:443", // kept
      "api.example.org:443", // twice
      "*.com:443",
      "www.example.org:80",
      "mail.example.org"
    ],
    "denyOutbound": ["nobody.example.edu"]
  }
}
P
cat >golden <<'P'
bad.json:11 (network.allowOutbound[1]): redundant: api.example.org:443
  why: 'api.example.org:443' (bad.json:10 (network.allowOutbound[0])) says it already
  fix: remove the entry (--fix does it)
bad.json:12 (network.allowOutbound[2]): public-suffix: *.com:443
  why: anyone can register a domain below com
  fix: name the hosts, or the domain of one owner: *.example.com
bad.json:13 (network.allowOutbound[3]): plain-text: www.example.org:80
  why: port 80 is HTTP: whoever is on the way reads and changes it
  fix: use HTTPS on 443
bad.json:14 (network.allowOutbound[4]): any-port: mail.example.org
  why: without a port the entry opens all 65535 of them
  fix: write the port that is needed behind a colon, HOST:443
bad.json:16 (network.denyOutbound[0]): deny-unbound: nobody.example.edu
  why: nothing that the policy allows meets this deny: it is refused anyway
  fix: remove it, or mend its spelling if it was to bind
bad.json:5 (filesystem.rw[0]): redundant: /srv/a/in
  why: '/srv/a' (workspace (bad.json)) grants it already
  fix: remove the entry (--fix does it)
bad.json:3 (lane): unused-lane: lane
  why: without fenceToLane the lane keeps nothing in: the whole workspace is open
  fix: add "fenceToLane": true, or remove the lane
bad.json:6 (filesystem.sensitive): sensitive-off: filesystem.sensitive
  why: keys, tokens and browser profiles are readable wherever a grant holds them
  fix: remove it: the set is on by default; grant the one file that is needed from elsewhere (--fix does it)
8 findings
P
cat >mended <<'P'
{ "version": 1, // what it is
  "workspace": "/srv/a",
  "lane": "alice",
  "filesystem": {
    "rw": ["/srv/b"]
  },
  "network": {
    "allowOutbound": [
      "api.example.org:443", // kept
      "*.com:443",
      "www.example.org:80",
      "mail.example.org"
    ],
    "denyOutbound": ["nobody.example.edu"]
  }
}
P
status 'a careful policy: 0' 0 "$PINFOLD" lint clean.json
check 'and nothing is printed' sh -c '! "$PINFOLD" lint clean.json | grep .'
"$PINFOLD" lint bad.json >out
check 'the words are those of the golden file' diff golden out
status 'findings: 1' 1 "$PINFOLD" lint bad.json
status 'a policy that does not load: 65' 65 "$PINFOLD" lint /dev/null
status 'no policy: 64' 64 "$PINFOLD" lint
check 'the JSON holds the same' sh -c '"$PINFOLD" lint --json bad.json | python3 -c "
import json, sys
d = json.load(sys.stdin)
assert d[\"policy\"] == \"bad.json\" and d[\"fixed\"] == [] and len(d[\"findings\"]) == 8
for f in d[\"findings\"]:
	assert set(f) == {\"code\", \"rule\", \"origin\", \"reason\", \"fix\", \"fixable\"} and all(f[k] for k in (\"code\", \"reason\", \"fix\"))
assert [f[\"code\"] for f in d[\"findings\"] if f[\"fixable\"]] == [\"redundant\", \"redundant\", \"sensitive-off\"]"'

cp bad.json fixed.json
chmod 640 fixed.json
status '--fix leaves what is for people: 1' 1 "$PINFOLD" lint --fix fixed.json
check 'and takes out the rest, comments of the rest stay' diff mended fixed.json
expect 'mode stays' '^640$' stat -c %a fixed.json
check 'nothing was opened' sh -c '"$PINFOLD" diff --json bad.json fixed.json | python3 -c "
import json, sys
assert json.load(sys.stdin)[\"opens\"] == 0"'
check 'nothing is left beside the file' sh -c '! ls fixed.json.* 2>/dev/null'
cat >easy.json <<'P'
{ "workspace": "/srv/a", "onUnavailable": "degrade", "filesystem": { "protectGit": false, "tmp": "shared" } }
P
status '--fix that leaves nothing: 0' 0 "$PINFOLD" lint --fix easy.json
status 'a second time there is nothing to do: 0' 0 "$PINFOLD" lint --fix easy.json
expect 'what is fixed is told' 'fixed redundant: api' sh -c 'cp bad.json again.json; "$PINFOLD" lint --fix again.json'
ln -s bad.json link.json
cp bad.json target.json && ln -sf target.json link.json
"$PINFOLD" lint --fix link.json >/dev/null
check 'a link stays one, and its target is mended' sh -c 'test -L link.json && diff mended target.json'

# Each code has its paragraph.
codes=$(sed -n 's/^\t\[LINT_[A-Z_]*\] = "\([a-z-]*\)",$/\1/p' "$top/src/review/lint.c")
check 'there are codes' test "$(wc -w <<<"$codes")" -gt 20
for code in $codes; do
	check "docs/lint.md explains $code" grep -qx "## $code" "$top/docs/lint.md"
	check "the man page explains $code" grep -qx "\.It Cm $code" "$top/docs/man/pinfold-lint.1"
done
finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# diff: what a change of policy opens and closes, in words and as JSON, with the exit codes of diff(1).
. "$(dirname "$0")/lib.sh"
need python3

cd "$T" || exit 1
cat >old.json <<'P'
{ "version": 1, "workspace": "/srv/a",
  "filesystem": { "rw": ["/srv/cache"] },
  "network": { "allowOutbound": ["api.example.org:443", "*.example.net:443", "203.0.113.0/24:5432"],
               "denyOutbound": ["bad.example.net"] },
  "limits": { "pids": 64 } }
P
cat >new.json <<'P'
{ "version": 1, "workspace": "/srv/a",
  "filesystem": { "rw": ["/srv/cache"], "deny": ["/srv/cache/keys"] },
  "network": { "allowOutbound": ["api.example.org:443", "api.example.org:443/udp", "*.example.net:443",
                                 "203.0.113.0/25:5432"] },
  "unixSockets": { "allow": ["/run/x.sock"] },
  "limits": { "pids": 128 }, "onUnavailable": "degrade" }
P
# The same as old.json, in other words.
cat >same.json <<'P'
{ version: 1, workspace: '/srv/a/', // nothing of this matters
  limits: { pids: 64 },
  network: { denyOutbound: ['BAD.example.net.'],
             allowOutbound: ['203.0.113.128/25:5432', '203.0.113.0/25:5432', '*.example.net:443',
                             'API.example.org:443/tcp', 'x.example.net:443'] },
  filesystem: { rw: ['/srv/cache', '/srv/cache/below'] } }
P
cat >golden <<'P'
network
  + opens   api.example.org:443/udp: refused -> allowed
      by new.json:3 (network.allowOutbound[1])
  + opens   bad.example.net:443/tcp: refused -> allowed
      by new.json:3 (network.allowOutbound[2])
  - closes  203.0.113.0/24:5432/tcp: allowed -> refused
      by old.json:3 (network.allowOutbound[2])
files
  - closes  /srv/cache/keys: read, write, execute -> nothing
      by old.json:2 (filesystem.rw[0])
unix sockets
  + opens   /run/x.sock: refused -> allowed
      by new.json:5 (unixSockets.allow[0])
limits
  + opens   limits.pids: 64 -> 128
session
  + opens   onUnavailable: refuse -> degrade
5 opened, 2 closed, 0 changed
P
"$PINFOLD" diff old.json new.json >out
check 'the words are those of the golden file' diff golden out
status 'policies that differ: 1' 1 "$PINFOLD" diff old.json new.json
status 'policies that decide the same: 0' 0 "$PINFOLD" diff old.json same.json
status 'and nothing is printed' 0 sh -c '! "$PINFOLD" diff old.json same.json | grep .'
status 'one that does not load: 65' 65 "$PINFOLD" diff old.json /dev/null
status 'one that is not there: 65' 65 "$PINFOLD" diff old.json nowhere.json
status 'one policy alone: 64' 64 "$PINFOLD" diff old.json
check 'the JSON holds the same' sh -c '"$PINFOLD" diff --json old.json new.json | python3 -c "
import json, sys
d = json.load(sys.stdin)
assert d[\"same\"] is False and d[\"opens\"] == 5 and d[\"closes\"] == 2 and d[\"changes\"] == 0
assert len(d[\"differences\"]) == 7
first = d[\"differences\"][0]
assert first == {\"effect\": \"opens\", \"area\": \"network\", \"what\": \"api.example.org:443/udp\",
	\"from\": \"refused\", \"to\": \"allowed\", \"origin\": \"new.json:3 (network.allowOutbound[1])\"}"'
check 'the JSON of no difference is whole' sh -c '"$PINFOLD" diff --json old.json same.json | python3 -c "
import json, sys
d = json.load(sys.stdin)
assert d[\"same\"] is True and d[\"differences\"] == []"'

# What is said of a destination is what why decides.
verdict() { "$PINFOLD" why -p "$1" connect "$2" >/dev/null 2>&1; echo $?; }
expect 'why agrees: opened' '^77 0$' echo "$(verdict old.json api.example.org:443/udp)" "$(verdict new.json api.example.org:443/udp)"
expect 'why agrees: closed' '^0 77$' echo "$(verdict old.json 203.0.113.200:5432)" "$(verdict new.json 203.0.113.200:5432)"
expect 'no colour but on a terminal' '^0$' sh -c '"$PINFOLD" diff old.json new.json | grep -c "$(printf "\033")"; true'
finish

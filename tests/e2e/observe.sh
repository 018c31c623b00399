#!/bin/bash
# SPDX-License-Identifier: MIT
# Observing lets through what a rule could open, records it as would_deny, and opens nothing else.
. "$(dirname "$0")/lib.sh"
lab

p=$(policy '{"version": 1, "network": {"allowOutbound": ["api.test:443"], "denyOutbound": ["198.51.100.11"]}}')
watch() { probe -p "$p" --observe -- "$@"; }
shut() { probe -p "$p" -- "$@"; }

both() { # SENTENCE PROBE...: refused without --observe, let through with it
	expect "without observing, $1 is refused" '^denied' shut "${@:2}"
	expect "observing, $1 is let through" '^ok' watch "${@:2}"
}
fresh_log
both 'an address of no rule' tcp 198.51.100.20 443
both 'an address that a deny names' tcp 198.51.100.11 443
both 'another port of an allowed name' tcp api.test 8443
both 'a name of no rule' tcp other.test 443
both 'private space' tcp 10.9.9.9 443
both 'a datagram' udp 198.51.100.20 443

would='ev.verdict == "would_deny"'
fresh_log
watch tcp other.test 443 >/dev/null
logged 'the name is recorded as would_deny, with advice' \
	"$would"' and ev.event == "dns_deny" and ev.name == "other.test" and "other.test" in ev.advice'
logged 'the destination too, with the name that led there' \
	"$would"' and ev.event == "net_deny" and ev.name == "other.test" and ev.port == 443 and "other.test:443" in ev.advice'
logged 'nothing is recorded as refused' 'not any(l.verdict == "deny" for l in lines)'
logged 'the start says that the session is observed' 'ev.event == "session_start" and ev.observe'
expect 'why --last tells it so' '^would_deny ' "$PINFOLD" why --last --log "$LOG"
fresh_log
watch tcp api.test 443 >/dev/null
logged 'what the policy allows is no denial' 'not any(l.verdict for l in lines)'
fresh_log
pen -p "$p" --observe -- python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("198.51.100.20", 443))
for i in range(2000): s.send(b"x")' >/dev/null
logged 'a flow is told once, not for each packet' 'sum(1 + (l.suppressed or 0) for l in lines if l.verdict) < 20'
fresh_log
pen -p "$p" --observe -- python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("198.51.100.20", 80))  # as resolvers do to sort addresses: nothing is sent' >/dev/null
logged 'a datagram socket that only connects is none' 'not any(l.verdict for l in lines)'

# --- what stays shut -------------------------------------------------------------------------------
fresh_log
expect 'the metadata address stays shut' '^denied' watch tcp 169.254.169.254 80
expect 'its name does not resolve' '^denied' watch lookup metadata.google.internal
logged 'and that is a refusal' 'ev.event == "net_deny" and ev.verdict == "deny" and ev.reason == "metadata"'
open_metadata=$(policy '{"version": 1, "network": {"dangerouslyAllowMetadata": true, "allowOutbound": ["169.254.169.254:80"]}}')
expect 'metadata stays shut whatever the policy says of it' '^denied' \
	probe -p "$open_metadata" --observe -- tcp 169.254.169.254 80
mkdir -p "$T/outside" && echo s >"$T/outside/file" && chmod -R a+rwX "$T/outside"
expect 'files that are not granted stay away' '^denied' watch read "$T/outside/file"
python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); time.sleep(600)' "$T/outside/sock" &
started+=($!)
until_true 5 test -S "$T/outside/sock"
chmod 777 "$T/outside/sock"
fresh_log
expect 'sockets outside stay away' '^denied' probe -p "$p" --observe --ro "$T/outside" -- unix "$T/outside/sock"
logged 'and that is a refusal, too' 'ev.event == "unix_deny" and ev.verdict == "deny"'

# --- a site policy bounds it ---------------------------------------------------------------------------
under_site() { # with a site policy that only this mount namespace has
	unshare --mount bash -c "mkdir -p '$T/etc/pinfold' && cp -a /etc/. '$T/etc/' &&
		mkdir -p '$T/etc/pinfold' && echo '{\"version\": 1}' >'$T/etc/pinfold/site.json' &&
		mount --bind '$T/etc' /etc && cd '$WS' && '$PINFOLD' run --observe -- touch started"
}
status 'a site policy forbids it' 65 under_site
check 'and the command does not start' test ! -e "$WS/started"

finish

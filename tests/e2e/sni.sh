#!/bin/bash
# SPDX-License-Identifier: MIT
# "verify": "sni": of several names on one address, only those that are allowed can be spoken to.
. "$(dirname "$0")/lib.sh"
lab --tls
need python3 openssl
cp "$e2e/tls.py" "$WS/tls"
A=198.51.100.11
hits=$LAB_DIR/hits.log

net() { policy "{\"version\": 1, \"network\": {\"allowOutbound\": $1}${2:-}}"; }
verified() { printf '{"host": "%s", "verify": "sni"}' "$1"; }
p=$(net "[$(verified shared-a.test:443), $(verified shared-a.test:9443-9445)]")
tls() { pen -p "$p" -- python3 ./tls "$@"; }
fake() { # PORT KIND: a server that only looks like one; it tells in $T/KIND
	python3 "$e2e/tls.py" serve "$1" "$2" "$T/$2" </dev/null &
	started+=($!)
	until_true 5 bash -c "</dev/tcp/127.0.0.1/$1"
}
fake 9443 echo
fake 9444 retry
fake 9445 plain
disown -a
echo_port=shared-a.test:9443

# --- names -----------------------------------------------------------------------------------------
expect 'bare: without a pen the other name is served there' "^ok ok $A$" python3 "$WS/tls" names $A:443 shared-b.test
: >"$hits"
expect 'the allowed name passes' "^ok ok $A$" tls names shared-a.test:443 shared-a.test
check 'and its server sees that name' grep -q "^tls $A 443 shared-a.test$" "$hits"
expect 'in upper case too' "^ok ok $A$" tls names shared-a.test:443 SHARED-A.test
expect 'with TLS 1.2 too' "^ok ok $A$" tls tls12 shared-a.test:443 shared-a.test
expect 'in single bytes too' '^ok shaken hands' tls drip shared-a.test:443 shared-a.test
expect 'in small records too' '^ok answer of type 22$' tls records shared-a.test:443 shared-a.test
expect 'the peer is who was asked for' "^ok $A 443$" tls peer shared-a.test:443 shared-a.test
: >"$hits"
fresh_log
expect 'another name on that address is cut' '^cut$' tls names shared-a.test:443 shared-b.test
logged 'with a line that says which, where and why' \
	'ev.event == "net_deny" and ev.reason == "sni_mismatch" and ev.name == "shared-b.test" and
	 ev.dst == "198.51.100.11" and ev.port == 443 and ev.rule == "shared-a.test:443" and ev.pid and ev.advice'
expect 'a name that leads elsewhere is cut, allowed or not' '^cut$' tls names shared-a.test:443 other.test
expect 'no name is cut' '^cut$' tls names shared-a.test:443
logged 'with a line' 'ev.reason == "sni_mismatch" and ev.detail == "no server name"'
expect 'HTTP is cut' '^cut$' tls raw shared-a.test:443 'GET / HTTP/1.1\r\nHost: shared-b.test\r\n\r\n'
logged 'with a line ' 'ev.reason == "sni_mismatch" and ev.detail == "not TLS"'
expect 'silence is cut after five seconds' '^ok cut after [56] s$' tls silent shared-a.test:443
absent 'nothing of that arrived at a server' . "$hits"
fresh_log
expect 'a connection without a word' '^ok closed$' tls open_close shared-a.test:443
check 'makes no line' bash -c "! grep -q sni_mismatch '$LOG'"

# --- a second ClientHello -----------------------------------------------------------------------------
: >"$T/retry"
expect 'a retry for the same name passes' '^ok answered \.+$' tls pipelined shared-a.test:9444 shared-a.test shared-a.test
check 'its second ClientHello only after the server has asked for it' grep -qx 'before 1' "$T/retry"
: >"$T/retry"
expect 'a retry for another name is cut' '^cut$' tls pipelined shared-a.test:9444 shared-a.test shared-b.test
check 'the server never heard of it' bash -c "! grep -q shared-b '$T/retry'"
logged 'and it is recorded' 'ev.reason == "sni_mismatch" and ev.name == "shared-b.test" and ev.port == 9444'
: >"$T/plain"
expect 'a server that does not speak TLS is cut off' '^cut$' tls records shared-a.test:9445 shared-a.test
logged 'and it is recorded ' 'ev.reason == "sni_mismatch" and ev.detail == "the server does not speak TLS"'
check 'it was sent nothing more' grep -qx 'plain 0' "$T/plain"

# --- bytes --------------------------------------------------------------------------------------------
expect 'much passes both ways intact, also after the client has ended its half' '^ok intact' \
	tls transfer "$echo_port" shared-a.test 64
expect 'who does not read slows who sends' '^ok stopped$' tls slow_reader "$echo_port" shared-a.test 256
expect 'many connections pass at once' '^ok 200 of 200$' tls many "$echo_port" shared-a.test 200

# --- other ways in -----------------------------------------------------------------------------------
port_of='ss -Hltnp | sed -n "s/.*127.0.0.1:\([0-9]*\) .*pinfold-relay.*/\1/p"'
start_pen -p "$(net "[$(verified shared-a.test:443), \"localhost\"]")" -- sh -c \
	'until [ -e port ]; do sleep 0.05; done; python3 ./tls direct "127.0.0.1:$(cat port)"; python3 ./tls direct "[::1]:$(cat port)"' \
	>"$T/direct"
until_true 5 test -n "$(sleep 1; bash -c "$port_of")"
bash -c "$port_of" | head -n 1 >"$WS/port.new"
mv "$WS/port.new" "$WS/port"
expect 'from outside a connection to the relay is cut' '^cut$' python3 "$WS/tls" raw "127.0.0.1:$(cat "$WS/port")" x
wait "$pen_pid"
expect 'inside, its port is refused even where loopback is open' '^2$' grep -c '^denied EPERM$' "$T/direct"
rm -f "$WS/port"

p=$(net "[$(verified shared-a.test:443), \"shared-b.test:443\", \"other.test:443\"]")
expect 'a second entry without verify takes nothing back' '^cut$' pen -p "$p" -- sh -c \
	'getent hosts shared-a.test shared-b.test >/dev/null; python3 ./tls raw 198.51.100.11:443 x'
expect 'its name passes' "^ok ok $A$" pen -p "$p" -- sh -c \
	'getent hosts shared-a.test shared-b.test >/dev/null; python3 ./tls names 198.51.100.11:443 shared-b.test'
expect 'but not before it was looked up' '^cut$' pen -p "$p" -- sh -c \
	'getent hosts shared-a.test >/dev/null; python3 ./tls names 198.51.100.11:443 shared-b.test'
expect 'a name of another address does not' '^cut$' pen -p "$p" -- sh -c \
	'getent hosts shared-a.test other.test >/dev/null; python3 ./tls names 198.51.100.11:443 other.test'
expect 'entries without verify have no relay in their way' '^ok ok (198.51.100.20|2001:db8::20)$' \
	pen -p "$p" -- python3 ./tls names other.test:443 anything.test

p=$(net "[$(verified other.test:443)]")
expect 'by IPv6 the right name passes' '^ok ok 2001:db8::20$' pen -p "$p" -- sh -c \
	'getent ahosts other.test >/dev/null; python3 ./tls names "[2001:db8::20]:443" other.test'
expect 'to the peer that was asked for' '^ok 2001:db8::20 443$' pen -p "$p" -- sh -c \
	'getent ahosts other.test >/dev/null; python3 ./tls peer "[2001:db8::20]:443" other.test'
expect 'and the wrong one does not' '^cut$' pen -p "$p" -- sh -c \
	'getent ahosts other.test >/dev/null; python3 ./tls names "[2001:db8::20]:443" shared-b.test'
fresh_log
expect 'observing, the wrong name passes' '^ok ok ' pen -p "$p" --observe -- python3 ./tls names other.test:443 shared-b.test
logged 'and is recorded as would_deny' \
	'ev.verdict == "would_deny" and ev.reason == "sni_mismatch" and ev.name == "shared-b.test"'

p=$(net "[$(verified '*:443')]")
expect 'with * verified, a name that was looked up passes' "^ok ok $A$" pen -p "$p" -- python3 ./tls names shared-a.test:443 shared-a.test
expect 'with * verified, an address alone is cut' '^cut$' pen -p "$p" -- python3 ./tls names $A:443 shared-a.test

# --- the relay's end --------------------------------------------------------------------------------
p=$(net "[$(verified shared-a.test:443)]")
start_pen -p "$p" -- sh -c 'until [ -e go ]; do sleep 0.05; done; python3 ./tls names shared-a.test:443 shared-b.test
	python3 ./tls names shared-a.test:443 shared-a.test' >"$T/after"
relay() { ps -o pid=,comm= --ppid "$pen_pid" | awk '$2 == "pinfold-relay" { print $1 }'; }
until_true 5 test -n "$(sleep 1; relay)"
first=$(relay)
check 'the relay has an uid of its own' grep -q '^Uid:[[:space:]]1346981447' "/proc/$first/status"
kill -KILL "$first"
until_true 5 bash -c "[ -n \"\$(ps -o pid=,comm= --ppid $pen_pid | grep pinfold-relay | grep -vw $first)\" ]"
touch "$WS/go"
wait "$pen_pid"
expect 'with its relay killed, the wrong name is still cut' '^cut$' head -n 1 "$T/after"
expect 'and the right one passes once the relay is back' "^ok ok $A$" tail -n 1 "$T/after"

finish

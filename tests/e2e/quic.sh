#!/bin/bash
# SPDX-License-Identifier: MIT
# A real QUIC client and HTTP/3: what is allowed over UDP works through the pen, what is not is refused.
. "$(dirname "$0")/lib.sh"
lab
need openssl
PORT=9443 # where the lab has no server of datagrams
# tools/install-deps gets them where there are any.
if ! command -v gtlsclient gtlsserver | wc -l | grep -qx 2; then
	skip 'a QUIC client reaches the allowed host and no other' 'QUIC tools are not installed'
	finish
	exit
fi
mkdir "$T/site"
head -c 300000 /dev/urandom >"$T/site/file"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=api.test \
	-addext 'subjectAltName=DNS:api.test,DNS:other.test,DNS:v6only.test' -keyout "$T/key.pem" -out "$T/cert.pem" 2>/dev/null
for at in 198.51.100.10 198.51.100.20 2001:db8::10 2001:db8::20; do
	(cd "$T/site" && exec gtlsserver -q -d "$T/site" $at $PORT "$T/key.pem" "$T/cert.pem") >"$T/$at.log" 2>&1 &
	started+=($!)
done
disown -a # no words about them when they are killed at the end

# fetch HOST [OPTIONS...]: what came, in a word.
cat >"$WS/fetch" <<P
rm -rf got && mkdir got
host=\$1
shift
timeout 60 gtlsclient -q --exit-on-all-streams-close --timeout=10s --download=got "\$@" "\$host" $PORT "https://\$host:$PORT/file" >got/log 2>&1
status=\$?
if cmp -s got/file file; then echo fetched; else echo "not fetched: \$status \$(tail -n 3 got/log)"; fi
P
cp "$T/site/file" "$WS/file"
chown -R "$TENANT:$TENANT" "$WS"
fetch() { pen --allow "$1" -- sh ./fetch "${@:2}"; }
bare_fetch() { (cd "$WS" && setpriv --reuid=$TENANT --regid=$TENANT --clear-groups sh ./fetch "$@"); }
served() { bare_fetch "$1" | grep -qx fetched; }
for host in api.test other.test v6only.test; do
	check "without a pen the QUIC server of $host answers" until_true 2 served "$host"
done
expect 'QUIC reaches the host that is allowed' '^fetched$' fetch api.test:$PORT/udp api.test
expect 'over IPv6 too' '^fetched$' fetch v6only.test:$PORT/udp v6only.test
expect 'from a socket that changes its port under way' '^fetched$' \
	fetch api.test:$PORT/udp api.test --change-local-addr=1ms
expect 'another host does not resolve' '^not fetched' fetch api.test:$PORT/udp other.test
expect 'nor is it reached by its address' '^not fetched' fetch api.test:$PORT/udp 198.51.100.20
logged '... and is told' 'ev.event == "net_deny" and ev.dst == "198.51.100.20" and ev.port == '$PORT' and ev.proto == "udp"'
expect 'an entry for TCP opens nothing for QUIC' '^not fetched' fetch api.test:$PORT api.test
expect 'nor does one for another port' '^not fetched' fetch api.test:443/udp api.test
finish

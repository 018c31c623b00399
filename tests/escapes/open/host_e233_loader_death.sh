#!/bin/bash
# SPDX-License-Identifier: MIT
# E233 (runs OUTSIDE): SIGKILL the loader while the session lives; the session must die with it or stay confined (unpinned bpf_link = fail open).
: "${PF_WRAP:?}"; h=$(cd "$(dirname "$0")/.." && pwd); o=$WORKSPACE/e233.out; rm -f "$o"
$PF_WRAP /bin/sh -c "sleep 2; exec $h/build/open/e001_tcp4_connect > $o 2>&1" >/dev/null 2>&1 & l=$!
sleep 1; kill -KILL $l 2>/dev/null; wait $l 2>/dev/null; sleep 5
[ -s "$o" ] || { echo "BLOCKED the session died with its loader"; exit 0; }
read -r v rest < "$o"; rm -f "$o"; if [ "$v" = ESCAPED ]; then echo "ESCAPED connect worked after the loader was killed"; exit 1; fi
echo "BLOCKED still confined: $v $rest"; exit 0

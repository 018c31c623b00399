#!/bin/bash
# SPDX-License-Identifier: MIT
# E233 (runs OUTSIDE): SIGKILL the loader while the session lives; the session must die with it or
# stay confined (an unpinned bpf_link would detach).
: "${PF_WRAP:?}"
out=$WORKSPACE/e233.out
rm -f "$out"
$PF_WRAP /bin/sh -c "sleep 2; exec $ESC_BUILD/e001_tcp4_connect > $out 2>&1" >/dev/null 2>&1 &
loader=$!
sleep 1
kill -KILL $loader 2>/dev/null
wait $loader 2>/dev/null
sleep 4
[ -s "$out" ] || { echo "BLOCKED the session died with its loader" && exit 0; }
read -r verdict rest <"$out"
rm -f "$out"
if [ "$verdict" = ESCAPED ]; then
	echo "ESCAPED connect worked after the loader was killed"
	exit 1
fi
echo "BLOCKED still confined: $verdict $rest"

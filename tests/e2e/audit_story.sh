#!/bin/bash
# SPDX-License-Identifier: MIT
# The audit story, typed as it stands, on a service that talks to one server too many.
. "$(dirname "$0")/lib.sh"
lab

[ ! -e /tmp/audit-story ] || { echo 'Bail out! /tmp/audit-story exists' && exit 1; }
root=$(awk '/ - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
export CG=$root/pinfold-story-$$
mkdir "$CG"
# shellcheck disable=SC2317 # called by the trap
end_story() {
	echo 1 >"$CG/cgroup.kill"
	until_true 5 rmdir "$CG"
	rm -rf /tmp/audit-story
	clean_up
}
trap end_story EXIT
cat >"$T/service" <<'END'
while :; do
	curl -s -m 2 http://api.test/ >/dev/null
	curl -s -m 2 http://other.test:8080/ >/dev/null
	sleep 1
done
END
bash -c 'echo $$ >"$CG/cgroup.procs" && exec setpriv --reuid=10001 --regid=10001 --clear-groups bash "$0"' "$T/service" &
PATH=$(dirname "$PINFOLD"):$PATH timeout 300 python3 "$e2e/console.py" "$top/docs/audit-story.md"

#!/bin/bash
# SPDX-License-Identifier: MIT
# attach on the cgroup of a real systemd unit: a service manager as pid 1 of a pid namespace, and a
# service that it starts, restarts and stops.
. "$(dirname "$0")/lib.sh"
lab
need curl

systemd=
for systemd in /usr/lib/systemd/systemd /lib/systemd/systemd ''; do [ ! -x "$systemd" ] || break; done
if [ -z "$systemd" ]; then
	skip 'attach on a unit' 'systemd is not installed'
	finish
	exit
fi
root=$(awk '/ - cgroup2 / { at = $5 } END { print at }' /proc/self/mountinfo)
[ "$root" = /sys/fs/cgroup ] || mount --bind "$root" /sys/fs/cgroup
mount -t tmpfs none /run
host=/sys/fs/cgroup/pinfold-e2e-$$-systemd
mkdir "$host"
# shellcheck disable=SC2317 # called by the trap
clean_manager() {
	for c in "$host"/system.slice/busy.service "$host"/pen.slice; do
		[ ! -e "$c" ] || "$PINFOLD" detach --cgroup "$c" >/dev/null 2>&1
	done
	echo 1 >"$host/cgroup.kill"
	until_true 20 sh -c "find '$host' -depth -type d -exec rmdir {} +; ! test -e '$host'"
	clean_up
}
trap clean_manager EXIT

# The units are ours alone: none of the host's starts.
mkdir "$T/units" "$T/none" "$T/said"
for unit in shutdown sysinit basic; do
	printf '[Unit]\nDefaultDependencies=no\n' >"$T/units/$unit.target"
done
printf '[Unit]\nWants=busy.service held.service\n' >"$T/units/default.target"
service() { # NAME SLICE: it asks for an allowed and a refused place over and over
	cat >"$T/units/$1.service" <<-UNIT
		[Unit]
		DefaultDependencies=no
		[Service]
		Slice=$2
		Restart=always
		RestartSec=0
		ExecStart=/bin/sh '$T/busy.sh' '$T/said/$1'
	UNIT
}
service busy system.slice
service held pen.slice
cat >"$T/busy.sh" <<'S'
while :; do
	curl -sS -m 4 http://198.51.100.20/ >"$1.new" 2>&1
	curl -sS -m 4 http://api.test/ >>"$1.new" 2>&1
	echo "$$" >>"$1.new"
	mv "$1.new" "$1"
	sleep 0.1
done
S
# shellcheck disable=SC2016 # expanded by the inner shell
(echo "$BASHPID" >"$host/cgroup.procs" && exec unshare -C -p -m -f --mount-proc --propagation private sh -c '
	mount -t tmpfs none /run && mkdir /run/systemd && mount --bind "$3" /sys/fs/cgroup &&
	exec env -i PATH="$PATH" container=lab SYSTEMD_UNIT_PATH="$2/units" SYSTEMD_GENERATOR_PATH="$2/none" \
		"$1" --system --unit=default.target --log-target=console --show-status=no' - "$systemd" "$T" "$host") \
	>"$T/systemd.out" 2>&1 </dev/null &
started+=("$!")
saw() { grep -q -- "$2" "$T/said/$1"; } # SERVICE REGEX
cg=$host/system.slice/busy.service
if ! until_true 30 test -s "$T/said/busy" || ! until_true 30 test -s "$T/said/held" || [ ! -d "$cg" ]; then
	sed 's/^/# /' "$T/systemd.out"
	skip 'attach on a unit' 'systemd does not start here'
	finish
	exit
fi

policy=$(policy '{ workspace: "/srv", network: { allowOutbound: ["api.test:80"] } }')
start_attach() { # CGROUP OPTIONS...
	"$PINFOLD" attach --cgroup "$1" -p "$policy" --log "$LOG" "${@:2}" >"$T/attach.out" 2>&1 </dev/null &
	attach_pid=$!
	started+=("$attach_pid")
	until_true 20 grep -q '^fenced ' "$T/attach.out"
}
end_main() { # SERVICE CGROUP: its main process is killed; until another one has something to say
	local before
	before=$(tail -n 1 "$T/said/$1") # its pid, as it knows itself
	kill -KILL "$(head -n 1 "$2/cgroup.procs")"
	until_true 30 sh -c "[ \"\$(tail -n 1 '$T/said/$1')\" != '$before' ] && [ \"\$(wc -l <'$T/said/$1')\" -ge 3 ]"
}

check 'a unit reaches what it likes' until_true 20 saw busy '^ok 198.51.100.20'
start_attach "$cg"
check 'its cgroup gets a fence' grep -q '^fenced ' "$T/attach.out"
check 'from then on the same process is refused' until_true 20 saw busy 'Failed to connect'
check 'and reaches what is allowed, by name' until_true 20 saw busy '^ok 198.51.100.10'
logged 'the record names the process' 'ev.event == "net_deny" and ev.dst == "198.51.100.20" and ev.comm == "curl"'
check 'another unit is as free as before' until_true 20 saw held '^ok 198.51.100.20'
kill -TERM "$attach_pid"
wait "$attach_pid"
check 'taken off, the unit is free again' until_true 20 saw busy '^ok 198.51.100.20'

# A slice stays when what is in it is stopped and started.
fresh_log
start_attach "$host/pen.slice"
check 'a slice gets a fence' grep -q '^fenced ' "$T/attach.out"
check 'which holds for the units in it' until_true 20 saw held 'Failed to connect'
check 'a unit of it is restarted' end_main held "$host/pen.slice/held.service"
check 'and is fenced from its first moment' until_true 20 saw held 'Failed to connect'
check '... never seen to reach the place' bash -c "! grep -q '^ok 198.51.100.20' '$T/said/held'"
check 'while what is allowed is reached' until_true 20 saw held '^ok 198.51.100.10'
kill -TERM "$attach_pid"
wait "$attach_pid"
finish

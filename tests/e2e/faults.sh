#!/bin/bash
# SPDX-License-Identifier: MIT
# Something fails while a pen is built: one kernel call (strace puts an error in its place), or one of
# the processes dies.  Then the command doesn't start, or is fenced, and nothing is left either way.
# FAULTS=all tries every occurrence of every call instead of the first and the last.
. "$(dirname "$0")/lib.sh"
# In a pid namespace: a mistake here may be a signal to everybody.
[ "${FAULTS_STAGE:-}" = inside ] ||
	FAULTS_STAGE=inside again_in unshare --pid --fork --mount-proc --kill-child
need strace gcc

gcc -D_GNU_SOURCE -O1 -o "$T/fenced" "$e2e/fenced.c"
install -m 0755 "$T/fenced" "$WS/fenced"
echo secret >"$T/secret"
chmod 644 "$T/secret"
result=$WS/result
bad=$(mktemp "$T/bad.XXXXXX")
file=$(policy '{
	"version": 1, "workspace": "'"$WS"'",
	"filesystem": { "deny": ["'"$WS"'/denied", "**/.env"] },
	"network": { "allowOutbound": ["*.example.com:443", "198.51.100.1:443"] },
	"limits": { "pids": 64, "memory": "256M" }
}')
command=("$PINFOLD" run -p "$file" --quiet --log "$LOG" -- ./fenced "$result" "$T/secret")
mkdir "$WS/denied"

# What the last pen said, and whether it had to be said at all.
judge() { # WORDS EXIT-CODE MAY-CRASH
	local said=''
	[ -e "$result" ] && said=$(<"$result")
	case $said in
	fenced | '') ;;
	*) echo "$1: $said" >>"$bad" ;;
	esac
	# Success without a command that ran would be a lie.
	[ "$2" -ne 0 ] || [ -n "$said" ] || echo "$1: exit 0, and nothing ran" >>"$bad"
	case $2 in
	# A command that was killed is 137 as well, but at once.
	124 | 137) [ $((SECONDS - began)) -lt 50 ] || echo "$1: it hung" >>"$bad" ;;
	134 | 139) [ -n "$3" ] || echo "$1: it crashed ($2)" >>"$bad" ;;
	esac
}
told() { # SENTENCE
	if [ -s "$bad" ]; then plan_not_ok "$1" "$(<"$bad")"; else plan_ok "$1"; fi
	: >"$bad"
}
# Sessions of others hold a lock; what nobody holds was left.
nothing_left() {
	local d
	for d in /sys/fs/cgroup/pinfold.slice/* /sys/fs/cgroup/*/pinfold.slice/*; do
		[ -d "$d" ] && flock -n "$d" true && return 1
	done
	! grep -q " $T" /proc/self/mountinfo && ! pgrep -f "^$T/|^./fenced $result" >/dev/null
}

cd "$WS" || exit 1
check 'without a fault the command runs, fenced' bash -c "$(printf '%q ' "${command[@]}") && grep -qx fenced '$result'"

# --- every kernel call of the way into a pen ---------------------------------------------------------
strace -f -qq --seccomp-bpf -e signal=none -o "$T/trace" "${command[@]}" >/dev/null 2>&1
# Only what happens before the command's own execve, the second one; the most that one process makes.
calls=$(awk '/execve\(/ && ++n == 2 { exit }
	match($0, /^[0-9]+ +[a-z0-9_]+\(/) {
		split($0, w, /[ (]+/)
		key = w[2] " " w[1]
		if (++n_of[key] > most[w[2]]) most[w[2]] = n_of[key]
	}
	END { for (c in most) print c, most[c] }' "$T/trace" | sort)
tried=0
while read -r call most; do
	case $call in
	# Can't fail, or end the process that makes them.
	exit | exit_group | futex | wait4 | rt_sigaction | rt_sigprocmask | execve | rt_sigreturn | \
		restart_syscall | brk | arch_prctl | set_robust_list | rseq | getpid | gettid | getuid | \
		geteuid | getgid | getegid | umask | vfork) continue ;;
	esac
	if [ "${FAULTS:-}" = all ]; then
		when=$(seq "$most")
	else
		when=$(printf '%s\n' 1 "$most" | sort -nu)
	fi
	for n in $when; do
		[[ "$call-$n" =~ ${ONLY:-.} ]] || continue
		rm -f "$result"
		error=EPERM
		case $call in close | munmap) error=EIO ;; esac
		rc=0 began=$SECONDS
		timeout -k 1 60 strace -f -qq --seccomp-bpf -e signal=none -o /dev/null -e "trace=$call" \
			-e "inject=$call:error=$error:when=$n" "${command[@]}" >/dev/null 2>&1 </dev/null || rc=$?
		# The loader of programs runs before any line of ours.
		judge "$call number $n fails" "$rc" "$(case $call in mprotect | mmap | getrandom) echo yes ;; esac)"
		tried=$((tried + 1))
	done
done <<<"$calls"
check "there was something to try ($tried faults)" test "$tried" -ge 60
told 'whatever kernel call fails, the command does not start or is fenced'
check '... and nothing is left' until_true 20 nothing_left

# --- every process at every stage --------------------------------------------------------------------
tried=0
for delay in 0 0.004 0.008 0.012 0.016 0.02 0.03 0.04 0.06 0.08 0.12; do
	for which in 1 2 3 4 5 6; do
		rm -f "$result"
		rc=0 began=$SECONDS
		"${command[@]}" >/dev/null 2>&1 </dev/null &
		pen_pid=$!
		started+=("$pen_pid")
		sleep "$delay"
		child=$(ps -o pid= --ppid "$pen_pid" | sed -n "${which}p")
		# shellcheck disable=SC2086
		[ -z "$child" ] || { kill -KILL $child 2>/dev/null && tried=$((tried + 1)); }
		wait "$pen_pid" || rc=$?
		judge "helper $which killed after $delay s" "$rc" ""
	done
done
check "there were helpers to kill ($tried)" test "$tried" -ge 20
told 'whatever helper dies whenever, the command does not start or is fenced'
check '... and nothing is left' until_true 20 nothing_left
finish

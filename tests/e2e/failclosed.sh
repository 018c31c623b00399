#!/bin/bash
# SPDX-License-Identifier: MIT
# What cannot be confined does not run; what fails while it runs opens nothing.
# (Failures that cannot be provoked from outside are unit tests with wrapped calls.)
. "$(dirname "$0")/lib.sh"
lab

started_none() { # SENTENCE COMMAND...: exit 125 and the command did not start
	rm -f "$WS/started"
	status "$1: refused" 125 "${@:2}"
	check "$1: the command did not start" test ! -e "$WS/started"
	expect "$1: said in one line" '^pinfold: [^ ].*$' "${@:2}"
}
run="cd '$WS' && exec '$PINFOLD' run -- touch started"

started_none 'without root' setpriv --reuid=$TENANT --regid=$TENANT --clear-groups bash -c "$run"
# CAP_SYS_ADMIN includes what CAP_BPF and CAP_NET_ADMIN are needed for, so it has to go with them.
for cap in sys_admin sys_admin,-bpf sys_admin,-net_admin setuid setgid; do
	started_none "without ${cap//,-/ and }" setpriv --bounding-set=-$cap --inh-caps=-$cap bash -c "$run"
done
started_none 'without a cgroup2 hierarchy' unshare --mount bash -c "
	umount -l /sys/fs/cgroup/unified 2>/dev/null; mount -t tmpfs none /sys/fs/cgroup && $run"
started_none 'with a read-only cgroup2 hierarchy' unshare --mount bash -c "
	c=\$(awk '\$3 == \"cgroup2\" { print \$2; exit }' /proc/mounts); mount -o remount,ro,bind \$c && $run"
started_none 'with a log that cannot be opened' bash -c "cd '$WS' && '$PINFOLD' run --log /no/such/dir/log -- touch started"
started_none 'with no descriptor to spare' bash -c "ulimit -n 8; $run"

# Without BPF (as under a strict seccomp profile): the call fails for the whole of pinfold.
cat >"$T/no.c" <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* no NUMBER ERRNO COMMAND...: runs it without that system call. */
int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, atoi(argv[1]), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[2])),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (argc < 4 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 99;
	execv(argv[3], argv + 3);
	return 98;
}
C
check 'the helper that takes system calls away builds' gcc -Wall -o "$T/no" "$T/no.c"
while read -r number errno name; do
	started_none "without $name" bash -c "cd '$WS' && exec '$T/no' $number $errno '$PINFOLD' run -- touch started"
done <<'CALLS'
321 1 bpf
321 38 bpf (not built in)
444 38 landlock_create_ruleset
444 95 landlock (switched off)
446 1 landlock_restrict_self
317 38 seccomp
428 1 open_tree
429 38 move_mount (unknown)
429 1 move_mount
435 38 clone3
155 1 pivot_root
CALLS

# --- while it runs -----------------------------------------------------------------------------------
mkdir "$T/full" && mount -t tmpfs -o size=16k none "$T/full"
head -c 12k /dev/zero >"$T/full/fill"
flood() {
	cd "$WS" && timeout 60 "$PINFOLD" run --quiet --log "$T/full/log" -- sh -c '
		for i in $(seq 60); do python3 ./probe tcp 198.51.100.$i 443; done | sort | uniq -c; echo end'
}
out=$(flood 2>&1)
if grep -q 'denied EPERM' <<<"$out" && grep -qx end <<<"$out" && ! grep -q ' ok ' <<<"$out"; then
	plan_ok 'with a full disk under the record every denial still holds, and nothing waits'
else
	plan_not_ok 'with a full disk under the record every denial still holds, and nothing waits' "$out"
fi
# The disk may end in the middle of a line; nothing may follow on that one.
check 'the record on a full disk has whole lines, and at most one that the disk cut' python3 -c '
import json, sys
cut = 0
for raw in open(sys.argv[1], "rb"):
    try: json.loads(raw)
    except ValueError:
        assert raw.count(b"\"event\"") <= 1, raw
        cut += 1
sys.exit(cut > 1)' "$T/full/log"
umount "$T/full"

mkfifo "$T/fifo" # a reader that never reads
exec 8<>"$T/fifo"
check 'a reader of the record that never reads blocks nothing' \
	timeout 60 bash -c "cd '$WS' && '$PINFOLD' run --quiet --log - -- python3 -c '
import socket
for i in range(5000):
    s = socket.socket(); s.setblocking(False)
    try: s.connect((\"198.51.100.20\", i + 1))
    except OSError: pass
    s.close()' 2>'$T/fifo'"
exec 8>&-
logged_nothing=$(find "$WS" -name started)
check 'no refused command ever started' test -z "$logged_nothing"

finish

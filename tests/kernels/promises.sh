#!/bin/bash
# SPDX-License-Identifier: MIT
# What a kernel can't promise is refused, or told where the policy accepts that: in a guest of
# tools/check-kernels, whose release decides what has to be there.
. "$(dirname "$0")/../e2e/lib.sh"

release=$(uname -r)
at_least() { printf '%s\n%s\n' "$1" "$release" | sort -V -C; } # VERSION
found=$("$PINFOLD" doctor)
says() { expect "doctor on $release: $1" "$2" echo "$found"; } # SENTENCE REGEX

says 'the network fence is ready' '^ready +network'
says 'all limits can be held in a pure cgroup2' '^ready +limits'
says 'the system calls are filtered' '^ready +system calls'
if at_least 6.7; then
	says 'attempts on unix sockets are recorded' '^ready +unix record'
else
	says 'attempts on unix sockets are not recorded, and it says so' '^partial +unix record .*not recorded'
fi
at_least 6.15 || says 'file denials are not recorded, and it says so' '^partial +file record'

degrade=$(policy '{ "version": 1, "workspace": "'"$WS"'", "onUnavailable": "degrade" }')
if at_least 6.12; then
	says 'Landlock holds everything' '^ready +files +Landlock ABI [6-9]'
	status 'a pen starts' 0 pen -- true
	# In the workspace: it takes the current directory for one, and here that is on a file system of
	# the host's, which tells no new names.
	check 'the self-test passes' bash -c "cd '$WS' && '$PINFOLD' selftest"
else
	says 'what Landlock does not hold is listed' '^partial +files .*truncating.*ioctl.*signals'
	says 'the remedy is named' 'Linux 6.12.*degrade'
	status 'a pen is refused' 125 pen -- touch ran
	check '... and nothing ran' test ! -e "$WS/ran"
	expect '... and it names the gap and the member that accepts it' 'signals.*onUnavailable' pen -- true
	fresh_log
	status 'a policy that accepts less starts' 0 pen -p "$degrade" -- true
	logged '... and the record says what does not hold' \
		"ev.event == 'degraded' and ev.fence == 'files' and 'abstract sockets' in ev.reason"
	expect '... and a person is told' 'warning: files: .*signals' \
		bash -c "cd '$WS' && '$PINFOLD' run --log '$LOG' -p '$degrade' -- true"
fi
check 'the self-test passes with less accepted' "$PINFOLD" selftest -p "$degrade"
# The mounts hold what an old Landlock does not: the trees of the system are read-only.
at_least 6.15 || expect 'the system can not be changed, whoever owns a file in it' 'Read-only file system' \
	pen -p "$degrade" -- chmod 600 /etc/passwd
finish

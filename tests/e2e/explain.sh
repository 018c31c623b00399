#!/bin/bash
# SPDX-License-Identifier: MIT
# A command that does not start, or ends at once, is explained: by path and with the rule to add.
. "$(dirname "$0")/lib.sh"
need gcc

mkdir -p "$T/opt/bin" "$T/lib"
cp /bin/true "$T/opt/bin/python"
printf '#!%s/opt/bin/python\n' "$T" >"$WS/tool"
printf '#!/usr/bin/env nopython\n' >"$WS/envtool"
printf '#!/bin/sh\r\n' >"$WS/crlf"
echo 'echo hi' >"$WS/plain"
echo 'int f(void) { return 0; }' >"$T/f.c"
echo 'int f(void); int main(void) { return f(); }' >"$T/m.c"
gcc -shared -fPIC -o "$T/lib/libf.so" "$T/f.c"
gcc -o "$WS/needs" "$T/m.c" -L"$T/lib" -lf -Wl,-rpath,"$T/lib"
chmod 755 "$WS"/*
cp /bin/true "$WS/nox" && chmod 644 "$WS/nox"
ln -s "$T/opt/bin/python" "$WS/link"
loud() { (cd "$WS" && exec "$PINFOLD" run "$@"); }

says() { # SENTENCE CODE REGEX RUN-ARGUMENTS...: with that status, in one line of ours
	local out rc=0
	out=$(loud "${@:4}" 2>&1 </dev/null) || rc=$?
	if [ "$rc" -eq "$2" ] && [ "$(grep -c '^pinfold: ' <<<"$out")" -eq 1 ] && grep -qE -- "^pinfold: .*$3" <<<"$out"; then
		plan_ok "$1"
	else
		plan_not_ok "$1" "exit $rc: $out"
	fi
}
silent() { # SENTENCE CODE RUN-ARGUMENTS...: with that status, and not a word of ours
	local out rc=0
	out=$(loud "${@:3}" 2>&1 </dev/null) || rc=$?
	if [ "$rc" -eq "$2" ] && ! grep -q '^pinfold: ' <<<"$out"; then
		plan_ok "$1"
	else
		plan_not_ok "$1" "exit $rc: $out"
	fi
}

says 'an interpreter that is not granted is named with its rule' 127 \
	"its interpreter '$T/opt/bin/python' is not granted; add it to filesystem.rox" -- ./tool
silent 'and with that rule the script runs' 0 --rox "$T/opt" -- ./tool
says 'an interpreter granted for reading only needs rox' 126 'granted for reading only' --ro "$T/opt" -- ./tool
says 'a program that is not granted is named' 127 'it is not granted' -- "$T/opt/bin/python"
says 'a symlink out of the pen names where it leads' 127 "leads to '$T/opt/bin/python'" -- ./link
says 'a denied program names the deny' 126 'is denied by' --deny "$WS/tool" -- ./tool
says 'a missing x bit names uid and mode' 126 "not executable for uid $TENANT \(mode 0644\)" -- ./nox
says 'a Windows line end is recognised' 127 'ends in CR LF' -- ./crlf
says 'a script without its first line is recognised' 126 'neither a program nor a script' -- ./plain
says 'a command that exists nowhere tells the PATH' 127 "not found in the pen's PATH \(/" -- no-such-command
says 'a library out of reach is named with its rule' 127 \
	"its library '$T/lib/libf.so' is out of reach; add \"$T/lib/libf.so\" to filesystem.rox" -- ./needs
silent 'and with that rule the program runs' 0 --rox "$T/lib" -- ./needs
says 'what env does not find is named' 127 "wants 'nopython'" -- ./envtool
silent '127 of a shell is not ours to explain' 127 -- sh -c 'exit 127'
silent '--quiet leaves hints out' 127 --quiet -- ./envtool
# Sixteen domains, each of which only scopes abstract sockets.
cat >"$T/layers.py" <<'P'
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
for i in range(16):
    ruleset = libc.syscall(444, struct.pack("QQQ", 0, 0, 1), 24, 0)
    if ruleset < 0 or libc.syscall(446, ruleset, 0) != 0:
        print("cannot stack", os.strerror(ctypes.get_errno()))
        sys.exit(9)
    os.close(ruleset)
os.execv(sys.argv[1], sys.argv[1:])
P
abi=$("$PINFOLD" doctor | sed -n 's/.*Landlock ABI \([0-9]*\).*/\1/p')
if [ "${abi:-0}" -ge 6 ]; then
	expect 'a pen inside sixteen Landlock domains is told why there is no seventeenth' \
		'^pinfold: cannot enter the Landlock domain: this process is inside 16 of them already' bash -c \
		"cd '$WS' && python3 '$T/layers.py' '$PINFOLD' run -- touch started"
	status 'and does not start' 125 bash -c "cd '$WS' && python3 '$T/layers.py' '$PINFOLD' run -- touch started"
	check 'nor did its command' test ! -e "$WS/started"
else
	skip 'a pen inside sixteen Landlock domains is told why there is no seventeenth' "Landlock ABI $abi has no scopes"
fi
says 'a set-uid program that fails is told that it gains nothing' 1 'no_new_privs' -- su -c true
says 'a sandbox inside is told of seccomp.allowNested' 1 'seccomp\.allowNested' -- unshare -r true

finish

#!/bin/bash
# SPDX-License-Identifier: MIT
# Whose the workspace is, what lanes see of each other, what a session must not reach.
. "$(dirname "$0")/lib.sh"
need python3 gcc node
refused='^denied (EACCES|EBUSY|EPERM|EROFS|EXDEV|ENOENT)$'

# --- lanes -----------------------------------------------------------------------------------------
for l in l1 l2; do
	mkdir "$WS/$l" && echo "of $l" >"$WS/$l/f" && cp "$WS/probe" "$WS/$l/probe"
done
echo top >"$WS/top" && chown -R "$TENANT:$TENANT" "$WS"
lane() { # NAME COMMAND...
	local p
	p=$(policy '{"version": 1, "workspace": "'"$WS"'", "lane": "'"$1"'", "fenceToLane": true}')
	(cd "$WS/$1" && exec "$PINFOLD" run --quiet --log "$LOG" -p "$p" -- "${@:2}")
}
for pair in l1:l2 l2:l1; do
	me=${pair%:*} they=${pair#*:}
	expect "$me works in its lane" '^ok ' lane "$me" python3 ./probe write "$WS/$me/mine"
	expect "$me can't read in $they" "$refused" lane "$me" python3 ./probe read "$WS/$they/f"
	expect "$me can't write in $they" "$refused" lane "$me" python3 ./probe write "$WS/$they/f"
	expect "$me can't make a file in $they" "$refused" lane "$me" python3 ./probe write "$WS/$they/new"
	expect "$me can't read beside the lanes" "$refused" lane "$me" python3 ./probe read "$WS/top"
	for trick in "mv f '$WS/$they/moved'" "mv '$WS/$they/f' ." "ln f '$WS/$they/linked'" "ln '$WS/$they/f' got" \
		"mkdir '$WS/$they/d'" "rm '$WS/$they/f'" "cat ../$they/f" "ln -s ../$they/f s && cat s" \
		"cat /proc/self/root$WS/$they/f" "cat /proc/1/cwd/../$they/f" "cd .. && cd $they" "mv '$WS/$me' '$WS/$they/x'"; do
		expect "$me fails at: $trick" '^no$' lane "$me" sh -c "{ $trick; } >/dev/null 2>&1 && echo yes || echo no"
	done
	expect "the listing above $me shows nothing else" "^$me\$" lane "$me" sh -c "ls '$WS'"
done
check 'nothing came over' test "$(ls "$WS/l2" | tr '\n' ' ')" = 'f mine probe s '
check 'and nothing was changed' test "$(cat "$WS/l1/f" "$WS/l2/f" "$WS/top" | tr '\n' ' ')" = 'of l1 of l2 top '

# --- workspaceAccess, for every program ------------------------------------------------------------
cat >"$T/w.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
int main(int n, char **v) { int fd = open(v[1], v[2][0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT, 0644);
	puts(fd < 0 ? "no" : "yes"); return n == 0; }
C
mkdir "$T/bin" && gcc -static -o "$T/bin/w" "$T/w.c" && chmod -R a+rX "$T/bin"
try() { # ACCESS read|write PROGRAM...
	local p
	p=$(policy '{"version": 1, "workspace": "'"$WS"'", "workspaceAccess": "'"$1"'", "filesystem": {"rox": ["'"$T/bin"'"]}}')
	(cd / && exec "$PINFOLD" run --quiet --log "$LOG" -p "$p" -- "${@:3}")
}
for access in none:no:no ro:yes:no rw:yes:yes; do
	IFS=: read -r a reads writes <<<"$access"
	expect "access $a: a static program reads: $reads" "^$reads\$" try $a read "$T/bin/w" "$WS/top" r
	expect "access $a: it writes: $writes" "^$writes\$" try $a write "$T/bin/w" "$WS/by-c" w
	expect "access $a: sh reads: $reads" "^$reads\$" try $a read sh -c "cat '$WS/top' >/dev/null 2>&1 && echo yes || echo no"
	expect "access $a: sh writes: $writes" "^$writes\$" try $a write sh -c "(echo > '$WS/by-sh') 2>/dev/null && echo yes || echo no"
	expect "access $a: python reads: $reads" "^$reads\$" try $a read python3 -c "
try: open('$WS/top').read(); print('yes')
except OSError: print('no')"
	expect "access $a: python writes: $writes" "^$writes\$" try $a write python3 -c "
try: open('$WS/by-python', 'w'); print('yes')
except OSError: print('no')"
	expect "access $a: node writes: $writes" "^$writes\$" try $a write node -e "
try { require('fs').writeFileSync('$WS/by-node', ''); console.log('yes') } catch { console.log('no') }"
done

# --- handover --------------------------------------------------------------------------------------
given=$T/given
mkdir -p "$given/sub" && echo x >"$given/sub/f" && echo x >"$T/foreign" && ln "$T/foreign" "$given/linked"
cp /usr/bin/true "$given/setuid" && chmod 4755 "$given/setuid"
p=$(policy '{"version": 1, "workspace": "'"$given"'", "identity": {"handover": true}}')
hand() { (cd "$given" && exec "$PINFOLD" run --quiet --log "$LOG" -p "$p" -- "$@"); }
fresh_log
expect 'with handover the workspace is writable' '^ok$' hand sh -c 'echo y > sub/f && echo z > new && echo ok'
expect "its files are the identity's" "^$TENANT\$" stat -c %u "$given/sub/f"
expect 'not one with a second name' '^0$' stat -c %u "$given/linked"
expect 'and no set-user-id bit is left' '^755$' stat -c %a "$given/setuid"
logged 'the record says how many' 'ev.event == "session_start" and ev.handover["given"] == 4 and ev.handover["left"] == 1'
echo x >"$given/later"
hand true
expect 'it is done once' '^0$' stat -c %u "$given/later"
status 'handover of a workspace for reading is refused' 65 pen -p \
	"$(policy '{"version": 1, "workspaceAccess": "ro", "identity": {"handover": true}}')" -- true
rm -f "/var/lib/pinfold/handover/"*"-$(stat -c %i "$given")-"*"-$TENANT"

# --- state directories -----------------------------------------------------------------------------
mkdir -p "$T/state/inner" && echo token >"$T/state/secret" && chmod -R a+rwX "$T/state"
status 'with a state directory the command runs' 0 pen --state-dir "$T/state" -- true
expect 'group and others have no access to it any more' '^700$' stat -c %a "$T/state"
expect 'inside it is out of reach' "$refused" probe --state-dir "$T/state" -- read "$T/state/secret"
chown "$TENANT" "$T/state"
status 'one that the session could read is refused' 125 pen --ro "$T/state" --state-dir "$T/state" -- touch started
expect 'by its name' "could read the state directory '$T/state'" pen --ro "$T/state" --state-dir "$T/state" -- true
mkdir -p "$T/home" "$T/closed"
expect 'among several, too' "state directory '$T/state'" pen --ro "$T/state" --state-dir "$T/home" --state-dir "$T/state" -- true
expect "a workspace that the session can't write is refused" "could not write its workspace '$T/closed'" \
	bash -c "cd '$T/closed' && '$PINFOLD' run --state-dir '$T/home' -- touch '$WS/started'"
status 'with 125' 125 bash -c "cd '$T/closed' && '$PINFOLD' run --state-dir '$T/home' -- touch '$WS/started'"
status 'a state directory that is not there is refused' 125 pen --state-dir "$T/none" -- touch started
status 'so is a file' 125 pen --state-dir "$LOG" -- touch started
check 'none of those started the command' test ! -e "$WS/started"
check 'and nothing of the test is left in the workspace' test -z "$(find "$WS" -name '*self*')"

# --- without a /tmp --------------------------------------------------------------------------------
p=$(policy '{"version": 1, "workspace": "'"$WS"'", "filesystem": {"tmp": "none"}}')
expect 'with "tmp": "none" there is no /tmp' '^no$' pen -p "$p" -- sh -c \
	'(echo > /tmp/x) 2>/dev/null && echo yes || echo no'
expect 'and TMPDIR is a place that exists' '^ok$' pen -p "$p" -- sh -c 'f=$(mktemp) && echo x > "$f" && echo ok'

finish

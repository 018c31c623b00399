#!/bin/bash
# SPDX-License-Identifier: MIT
# More field cases of files: what random trees and rules (tests/root/test_agree_path.c) brought up.
. "$(dirname "$0")/lib.sh"
refused='^denied (EACCES|ENOENT|EPERM|EROFS)$'
W=$T/tree
mkdir -p "$W/ws/l1" "$W/ws/l2" "$W/a/secret" && echo 1 >"$W/ws/l1/f" && echo 2 >"$W/ws/l2/f"
echo k >"$W/a/secret/key" && ln "$W/a/secret/key" "$W/other" && echo e >"$W/.env" && echo f >"$W/f"
ln -s a "$W/link" && echo n >"$W/a/n"
chown -R "$TENANT:$TENANT" "$W"

# A lane in a tree that is granted from above, while a guard waits for a name that does not exist yet.
p=$(policy '{"version": 1, "workspace": "'"$W/ws"'", "lane": "l1", "fenceToLane": true,
	"filesystem": {"rw": ["'"$W"'", "'"$WS"'"], "deny": ["'"$W"'/later"]}}')
expect 'P68 a lane below a granted tree is open' '^ok ' probe -p "$p" -- read "$W/ws/l1/f"
expect 'P68 its neighbour is shut' "$refused" probe -p "$p" -- read "$W/ws/l2/f"
expect 'P68 what lies around the workspace is open' '^ok ' probe -p "$p" -- read "$W/f"

p=$(policy '{"version": 1, "filesystem": {"ro": ["'"$W"'/.env", "'"$W"'/f", "'"$W"'/other", "'"$W"'/a"],
	"deny": ["'"$W"'/a/secret"]}}')
expect 'P54 a grant of the very file does not open what a pattern denies' "$refused" probe -p "$p" -- read "$W/.env"
expect 'P54 a file beside it is open' '^ok ' probe -p "$p" -- read "$W/f"
expect 'P56 a denied file is shut under another name that is granted' "$refused" probe -p "$p" -- read "$W/other"
status 'P56 and why says so' 77 "$PINFOLD" why -p "$p" read "$W/other"
status 'P54 why says so, too' 77 "$PINFOLD" why -p "$p" read "$W/.env"

# A denied file outside every grant, and one in a denied directory there, have names inside.
mkdir -p "$W/ws/names" "$T/apart/.keys"
echo key >"$T/apart/key" && echo key >"$T/apart/.keys/k" && echo free >"$T/apart/free"
ln "$T/apart/key" "$W/ws/names/one" && ln "$T/apart/.keys/k" "$W/ws/names/two" && ln "$T/apart/free" "$W/ws/names/three"
p=$(policy '{"version": 1, "filesystem": {"ro": ["'"$W"'/ws/names"], "deny": ["'"$T"'/apart/key", "'"$T"'/apart/.keys"]}}')
for name in one two; do
	expect "P56 a denied file outside every grant is shut under a name inside ($name)" "$refused" probe -p "$p" -- read "$W/ws/names/$name"
	status "P56 ... and why says so ($name)" 77 "$PINFOLD" why -p "$p" read "$W/ws/names/$name"
done
expect 'P56 a file that has another name, but no deny, is open' '^ok ' probe -p "$p" -- read "$W/ws/names/three"

# A grant that is written through a symlink holds for what it leads to.
p=$(policy '{"version": 1, "filesystem": {"ro": ["'"$W"'/link/n"]}}')
for path in link/n a/n; do
	expect "P56 a grant through a symlink opens $path" '^ok ' probe -p "$p" -- read "$W/$path"
	status "P56 why knows that of $path" 0 "$PINFOLD" why -p "$p" read "$W/$path"
done
status 'P56 and what it does not open' 77 "$PINFOLD" why -p "$p" read "$W/a/secret/key"
expect 'P56 which is shut' "$refused" probe -p "$p" -- read "$W/a/secret/key"
p=$(policy '{"version": 1, "filesystem": {"ro": ["'"$W"'/a"]}}')
expect 'P56 a symlink outside of every grant is not there' "$refused" probe -p "$p" -- read "$W/link/n"
status 'P56 as why says' 77 "$PINFOLD" why -p "$p" read "$W/link/n"
expect 'P56 the real path is' '^ok ' probe -p "$p" -- read "$W/a/n"
finish

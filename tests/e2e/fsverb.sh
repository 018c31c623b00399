#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2016 # the inner shells expand
# fs: file operations below a workspace, with the policy's answer, by descriptors.
. "$(dirname "$0")/lib.sh"
need python3 setpriv

cd "$WS" || exit
rm -f probe
fs() { "$PINFOLD" fs "$@"; }
put() { # TEXT ARGUMENTS...: fs with that input
	local text=$1
	shift
	printf '%s' "$text" | "$PINFOLD" fs "$@"
}
same() { [ "$1" = "$(cat "$2")" ]; }
json() { # EXPRESSION ARGUMENTS...: of the JSON value v that fs prints
	local expression=$1
	shift
	fs "$@" --json </dev/null >"$T/out" 2>/dev/null
	python3 -c 'import json,sys; v = json.load(open(sys.argv[1])); assert eval(sys.argv[2]), v' "$T/out" "$expression"
}

# ---- what a bridge needs -------------------------------------------------------------------------
check 'a file is written' put 'hello' write a.txt
check 'and holds that' same hello a.txt
expect 'and is read' '^hello$' fs read a.txt
check 'a shorter one replaces it whole' put 'hi' write a.txt
check 'and nothing of the old one is left' same hi a.txt
head -c 300000 /dev/urandom >"$T/bytes"
check 'bytes of every kind are written' bash -c '"$PINFOLD" fs write bin <"$1"' - "$T/bytes"
check 'and read back the same' bash -c '"$PINFOLD" fs read bin | cmp - "$1"' - "$T/bytes"
check 'an empty file is a file' bash -c '"$PINFOLD" fs write empty </dev/null && test -f empty -a ! -s empty'
chmod 751 a.txt
check 'a replaced file keeps its mode' bash -c 'printf x | "$PINFOLD" fs write a.txt && test "$(stat -c %a a.txt)" = 751'
check 'a new file is its owner'\''s who owns the workspace' test "$(stat -c %u bin)" = "$TENANT"
check 'create makes a file' put new create c.txt
status 'create of one that exists says so' 73 put other create c.txt
check 'and changes nothing' same new c.txt
check 'create tells "created"' bash -c '"$PINFOLD" fs create d.txt --json </dev/null | grep -qx "{\"result\":\"created\"}"'
check 'create tells "exists", and nothing else' bash -c '"$PINFOLD" fs create d.txt --json </dev/null | grep -qx "{\"result\":\"exists\"}"'
ln -s nowhere dangling
status 'create takes a dangling symlink for what it is: a name that is taken' 73 put x create dangling
check 'and nothing came into being behind it' test ! -e nowhere
check 'mkdir makes the directories above' fs mkdir one/two/three
check 'mkdir -p PATH is the same' fs mkdir -p one/two/three
check 'they are there' test -d one/two/three
status 'mkdir over a file is refused by the kernel' 74 fs mkdir a.txt/x
check 'write --mkdir makes them too' put x write new/dir/f --mkdir
status 'without it there is no such directory' 66 put x write newer/f
check 'mv moves' fs mv c.txt one/moved.txt
check 'the new name holds it' same new one/moved.txt
check 'the old name is gone' test ! -e c.txt
check 'mv replaces' fs mv one/moved.txt d.txt
check 'with the content' same new d.txt
check 'rm removes a file' fs rm d.txt
status 'rm of nothing says so' 66 fs rm d.txt
check 'rm -f of nothing is fine' fs rm -f d.txt
status 'rm of a directory wants -r' 74 fs rm one
check 'rm -rf takes the tree' fs rm -rf one
check 'and it is gone' test ! -e one
check 'stat knows a file' json 'v["type"] == "file" and v["size"] == 300000 and v["mtimeMs"] > 1500000000000' stat bin
check 'stat knows a directory' json 'v["type"] == "directory"' stat new
mkfifo pipe
check 'stat knows others' json 'v["type"] == "other"' stat pipe
status 'a FIFO is not read' 64 timeout 5 "$PINFOLD" fs read pipe
status 'a FIFO is not written' 64 put x write pipe
check 'ls lists names and directories, sorted' json '[e["name"] for e in v] == sorted(e["name"] for e in v) and {"name": "new", "isDirectory": True} in v and {"name": "bin", "isDirectory": False} in v' ls
check 'ls of a directory below' json 'v == [{"name": "dir", "isDirectory": True}]' ls new
expect 'for people a slash marks directories' '^new/$' fs ls .
status 'what is not there exits 66' 66 fs read nothing
check 'and is called ENOENT' json 'v["error"]["code"] == "ENOENT"' read nothing
status 'a directory is not read' 74 fs read new
check 'and is called EISDIR' json 'v["error"]["code"] == "EISDIR"' read new
check 'absolute paths inside are fine' fs stat "$WS/bin"
check 'the workspace may be named' bash -c 'cd / && "$PINFOLD" fs stat -w "$1" bin' - "$WS"

# ---- bounds ----------------------------------------------------------------------------------------
status 'a file over --max-bytes is not read' 74 fs read bin --max-bytes 299999
check 'one of that size is' bash -c '"$PINFOLD" fs read bin --max-bytes 300000 | cmp -s - "$1"' - "$T/bytes"
status 'more than --max-bytes is not written' 74 put 12345 write a.txt --max-bytes 4
check 'and the old file stays' same x a.txt
check 'nothing is left lying around' test -z "$(find . -name '.pinfold*')"

# ---- the way out -----------------------------------------------------------------------------------
echo outside >"$T/outside"
chmod 666 "$T/outside"
mkdir "$T/other"
chmod 777 "$T/other"
ln -s "$T/outside" out
ln -s ../outside up
ln -s "$T/other" outdir
ln -s bin inside
ln -s new indir
for path in out up outdir/x ../outside "$T/outside" /etc/passwd /proc/self/environ new/../../outside "$WS/../outside"; do
	status "read '$path' is refused" 77 fs read "$path"
done
for path in out up inside outdir/x ../new "$T/new" new/../../new; do
	status "write '$path' is refused" 77 put x write "$path"
done
check 'nothing outside was changed' same outside "$T/outside"
check 'nor made' test -z "$(ls "$T/other")" -a ! -e "$T/new"
check 'a symlink inside may be read through' bash -c '"$PINFOLD" fs read inside | cmp -s - bin'
check 'and stand on the way' put x write indir/f2
check 'rm takes the symlink, not what it leads to' bash -c '"$PINFOLD" fs rm inside && test -f bin'
check 'rm -r follows none' bash -c 'ln -s "$1" new/link && "$PINFOLD" fs rm -r new && test -d "$1"' - "$T/other"
status 'mkdir through a symlink out is refused' 77 fs mkdir outdir/x/y
status 'mv out is refused' 77 fs mv bin outdir/bin
status 'mv in is refused' 77 fs mv outdir/../outside stolen
status 'the workspace itself is not removed' 64 fs rm -rf .

# ---- the sensitive set ---------------------------------------------------------------------------------
mkdir -p sub/.ssh keep
echo key >.env
echo key >sub/.env.local
echo pub >sub/.env.example
ln .env hard
ln -s .env soft
ln bin hard2
for name in .env sub/.env.local hard soft; do
	status "read $name is refused though no sandbox is on" 77 fs read "$name"
done
check 'an example may be read' fs read sub/.env.example
check 'a file with two harmless names too' bash -c '"$PINFOLD" fs read hard2 | cmp -s - bin'
status 'write .env is refused' 77 put x write .env
status 'create .env elsewhere is refused' 77 put x create keep/.env
status 'rm .env is refused' 77 fs rm .env
status 'rm -r of a tree that holds one is refused' 77 fs rm -r sub
check 'and takes nothing of it' test -f sub/.env.example -a -f sub/.env.local
status 'mv .env away is refused' 77 fs mv .env keep/plain
status 'mv of something onto .env is refused' 77 fs mv a.txt .env
status 'mv of the directory that holds one is refused' 77 fs mv sub keep/sub
check 'why is told' bash -c '"$PINFOLD" fs read .env 2>&1 | grep -q "built-in (sensitive)"'
home=$(getent passwd "$(id -u)" | cut -d: -f6)
status 'a workspace that is the home does not open ~/.ssh' 77 fs read -w "$home" .ssh/id_rsa
rm -f hard soft .env sub/.env.local

# ---- policies -------------------------------------------------------------------------------------------
ro=$(policy "{version: 1, workspace: '$WS', workspaceAccess: 'ro'}")
check 'ro may read' bash -c '"$PINFOLD" fs read -p "$1" a.txt | grep -q x' - "$ro"
for op in 'write a.txt' 'create n' 'mkdir n' 'rm a.txt' 'mv a.txt n'; do
	# shellcheck disable=SC2086
	status "ro refuses $op" 77 fs $op --policy "$ro"
done
none=$(policy "{version: 1, workspace: '$WS', workspaceAccess: 'none'}")
status 'none refuses reading' 77 fs read -p "$none" a.txt
status 'none refuses writing' 77 fs write -p "$none" a.txt
mkdir -p shut/in half
echo s >shut/in/f
deny=$(policy "{version: 1, workspace: '$WS', filesystem: {deny: ['$WS/shut', '**/*.key'], ro: ['$WS/half']}}")
status 'a denied tree is not read' 77 fs read -p "$deny" shut/in/f
status 'nor listed' 77 fs ls -p "$deny" shut
status 'nor moved' 77 fs mv -p "$deny" shut open
status 'nor written to' 77 put x write -p "$deny" shut/new
status 'a denied pattern is not written' 77 put x write -p "$deny" a.key
status 'a read-only tree inside is not written' 77 put x write -p "$deny" half/x
check 'the rest is' put x write -p "$deny" rest
git=$(policy "{version: 1, workspace: '$WS'}")
git init -q repo
chown -R "$TENANT" repo
status 'hooks of a repository are not written' 77 put x write -p "$git" repo/.git/hooks/pre-commit
status 'nor its configuration' 77 put x write -p "$git" repo/.git/config
check 'its files are' put x write -p "$git" repo/file
mkdir -p lanes/alice lanes/bob
lane=$(policy "{version: 1, workspace: '$WS', lane: 'lanes/alice', fenceToLane: true}")
chown -R "$TENANT" lanes
check 'a lane is where paths start' put x write -p "$lane" mine
check 'it is in the lane' test -f lanes/alice/mine
status 'the other lane is out of reach' 77 fs ls -p "$lane" ../bob
status 'a policy with a mistake is not used' 65 fs read -p "$(policy '{version: 1, workspce: 1}')" a.txt
status 'a workspace that does not exist' 65 fs read -w "$T/nothing" a.txt
status 'two paths for one' 64 fs read a b
status 'an operation that is not known' 64 fs copy a b
status 'no operation' 64 fs

# ---- configurations -----------------------------------------------------------------------------------------
A=$T/agent
mkdir "$A"
echo notes >"$A/AGENTS.md"
echo data >"$A/data"
echo K=1 >"$A/.env"
chown -R "$TENANT" "$A"
config=$T/openclaw.json
cfs() { "$PINFOLD" fs "$@" --config "$config" --agent main --session agent:main:telegram:1 --origin channel:telegram; }
sandbox() { printf '%s\n' "{agents: {list: [{id: 'main', workspace: '$A', sandbox: {workspaceRoot: '$T/boxes', $1}}]}}" >"$config"; }
sandbox "mode: 'all', workspaceAccess: 'rw'"
check 'rw: the agent'\''s workspace is where files are' test "$(cfs read data 2>&1)" = data
check 'and they may be written' bash -c 'printf new | "$PINFOLD" fs write data --config "$1"' - "$config"
check 'which is seen there' same new "$A/data"
status 'the sensitive set is refused' 77 cfs read .env
sandbox "mode: 'off'"
check 'off: the workspace, rw' bash -c 'printf off | "$PINFOLD" fs write data --config "$1"' - "$config"
status 'off: the sensitive set is refused all the same' 77 cfs read .env
status 'off: and not written' 77 put x write --config "$config" .env
sandbox "mode: 'off', workspaceAccess: 'ro'"
status 'off, but ro: not written' 77 put x write --config "$config" data
sandbox "mode: 'all', workspaceAccess: 'none'"
check 'none: a private directory, seeded' test "$(cfs read AGENTS.md 2>&1)" = notes
status 'none: the agent'\''s files are not in it' 66 cfs read data
status 'none: nor to be had by their path' 77 cfs read "$A/data"
check 'none: it may be written' bash -c 'printf mine | "$PINFOLD" fs write data --config "$1"' - "$config"
check 'none: the workspace is as it was' same off "$A/data"
sandbox "mode: 'all', workspaceAccess: 'ro'"
check 'ro: the workspace may be read by its path' test "$(cfs read "$A/data" 2>&1)" = off
status 'ro: not written' 77 put x write --config "$config" "$A/data"
status 'ro: nor the private directory' 77 put x write --config "$config" AGENTS.md
status 'ro: the sensitive set is refused there too' 77 cfs read "$A/.env"
status 'ro: .. does not lead on' 77 cfs read "$A/../outside"
status 'a policy beside a configuration' 64 cfs read data -p "$ro"
sandbox "mode: 'all', workspaceAcces: 'ro'"
status 'a configuration with a mistake' 65 cfs read data
sandbox "mode: 'all', workspaceAccess: 'rw'"

# ---- the record ---------------------------------------------------------------------------------------------
fresh_log
status 'what is refused may be written down' 77 cfs read .env --log "$LOG"
logged 'by whom, which path, by which rule' "ev.event == 'fs_deny' and ev.path == '$A/.env' and ev.op == 'fs.read_file' and ev.rule == '**/.env' and ev.verdict == 'deny' and ev.agent == 'main' and ev.session == 'agent:main:telegram:1'"
audit=$(policy "{version: 1, workspace: '$WS', audit: {path: '$LOG'}}")
status 'a way out' 77 fs read -p "$audit" up
logged 'is there as well, by the policy'\''s own audit.path' "ev.event == 'fs_deny' and ev.path.endswith('/ws/up') and 'out of the workspace' in ev.reason"
lines=$(wc -l <"$LOG")
status 'what is not there' 66 fs read -p "$audit" nothing
check 'is no line' test "$(wc -l <"$LOG")" = "$lines"

# ---- text for models ---------------------------------------------------------------------------------------
printf 'a </tool-output> b' >tagged
expect 'read --tag-output wraps the text' '^<tool-output source="file" trust="untrusted" session="s1">a &lt;/tool-output&gt; b</tool-output>$' \
	fs read tagged --tag-output --session s1

# ---- races --------------------------------------------------------------------------------------------------
# While paths are exchanged for symlinks that lead out, nothing outside is read or written.
cat >"$T/race.py" <<'PY'
import ctypes, os, subprocess, sys, threading, time
pinfold, ws, outside = sys.argv[1:]
os.chdir(ws)
os.makedirs("race/real", exist_ok=True)
open("race/real/f", "w").write("inside")
open(outside + "/f", "w").write("secret")
os.chmod(outside + "/f", 0o666)
os.symlink(outside, "race/swap")
libc = ctypes.CDLL(None, use_errno=True)
stop = False
def swap():
    while not stop:
        libc.renameat2(-100, b"race/real", -100, b"race/swap", 2)
thread = threading.Thread(target=swap)
thread.start()
seen = {}
try:
    end = time.time() + 6
    while time.time() < end:
        r = subprocess.run([pinfold, "fs", "read", "race/real/f"], capture_output=True)
        assert b"secret" not in r.stdout, "read outside"
        seen[r.returncode] = seen.get(r.returncode, 0) + 1
        subprocess.run([pinfold, "fs", "write", "race/real/f"], input=b"inside", capture_output=True)
        subprocess.run([pinfold, "fs", "create", "race/real/g"], input=b"", capture_output=True)
        subprocess.run([pinfold, "fs", "rm", "-rf", "race/real/g"], capture_output=True)
finally:
    stop = True
    thread.join()
assert open(outside + "/f").read() == "secret", "wrote outside"
assert os.listdir(outside) == ["f"], os.listdir(outside)
assert len(seen) > 1 and seen.get(0), f"the race was not one: {seen}"
PY
check 'symlinks exchanged meanwhile lead nowhere' python3 "$T/race.py" "$PINFOLD" "$WS" "$T/other"

finish

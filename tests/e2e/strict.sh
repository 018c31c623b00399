#!/bin/bash
# SPDX-License-Identifier: MIT
# strictDeny: it starts where no denied name can be planted, and there planting fails by every call; it
# does not start elsewhere.
. "$(dirname "$0")/lib.sh"
need python3
mkdir -p "$WS/a/b" "$WS/c"
echo secret >"$WS/a/b/key"
echo top >"$WS/top"
ln -s a/b "$WS/link"
chown -Rh "$TENANT:$TENANT" "$WS"
strict() { # DENIES [more members of filesystem]
	policy '{"version": 1, "workspace": "'"$WS"'",
		"filesystem": {"strictDeny": true, "sensitive": false, "deny": ['"$1"']'"${2:-}"'}'"${3:-}"'}'
}
held=$(strict "\"$WS/a/b/key\", \"$WS/top\", \"$T/elsewhere\"")
refused() { # SENTENCE REGEX POLICY
	fresh_log
	rm -f "$WS/started"
	status "$1" 125 pen -p "$3" -- touch started
	expect '... and it is said why' "$2" pen -p "$3" -- touch started
	check '... and nothing runs' test ! -e "$WS/started"
}

# --- where it holds --------------------------------------------------------------------------------
check 'a policy starts whose denied paths exist, or lie where nothing can be written' pen -p "$held" -- true
cat >"$WS/try" <<'P'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
key, top = "a/b/key", "top"
def exchange(a, b):
    if libc.renameat2(-100, a.encode(), -100, b.encode(), 2) < 0:
        raise OSError(ctypes.get_errno(), "exchange")
def write(path):
    with open(path, "w") as f:
        f.write("x")
def again():
    os.mkdir("a"), os.mkdir("a/b"), write(key)
open("own", "w").close()
os.makedirs("own.d/b", exist_ok=True)
for name, f in {
    "write": lambda: write(key), "write the top one": lambda: write(top), "read": lambda: open(key).read(),
    "by a symlink": lambda: open("link/key").read(), "unlink": lambda: os.unlink(key),
    "rename it": lambda: os.rename(key, "x"), "rename over it": lambda: os.rename("own", key),
    "link over it": lambda: os.link("own", key), "exchange": lambda: exchange("own", key),
    "rename its directory": lambda: os.rename("a/b", "x"), "rename the one above": lambda: os.rename("a", "x"),
    "exchange its directory": lambda: exchange("own.d", "a"), "exchange the nearest": lambda: exchange("own.d", "a/b"),
    "remove its directory": lambda: os.rmdir("a/b"), "make the path anew": again,
    "chmod": lambda: os.chmod(key, 0o644), "through proc": lambda: open("/proc/self/cwd/" + key).read(),
}.items():
    try:
        f()
        print("WENT THROUGH:", name)
    except OSError:
        pass
write("a/b/other"); os.rename("a/b/other", "a/b/third"); os.unlink("a/b/third"); os.mkdir("c/d"); os.rename("c", "e")
print("done")
P
tried=$(pen -p "$held" -- python3 try 2>&1)
if [ "$tried" = 'done' ]; then
	plan_ok 'every way to it fails, and work beside it goes on'
else
	plan_not_ok 'every way to it fails, and work beside it goes on' "$tried"
fi
expect 'what was denied is as it was' '^secret top$' echo "$(cat "$WS/a/b/key") $(cat "$WS/top")"
check 'with nothing to write patterns are no obstacle' \
	pen -p "$(strict '"**/.env"' '' ', "workspaceAccess": "ro"')" -- true

expect 'why says what becomes of a denied name that does not exist' 'quarantine' \
	"$PINFOLD" why -p "$(policy '{"version": 1, "workspace": "'"$WS"'"}')" write "$WS/.env"
expect '... and nothing of it for one that does' 'always win$' "$PINFOLD" why -p "$held" write "$WS/top"

# --- where it does not -----------------------------------------------------------------------------
refused 'a pattern below a tree for writing is refused' "strictDeny: .*'\*\*/\.env'" "$(strict '"**/.env"')"
refused 'a path that does not exist is refused' "strictDeny: .*not-there" "$(strict "\"$WS/not-there\"")"
refused 'one in a directory that does not exist is, too' "strictDeny: .*no/where" "$(strict "\"$WS/no/where\"")"
refused 'the sensitive set has patterns' "strictDeny: .*\.env" \
	"$(policy '{"version": 1, "workspace": "'"$WS"'", "filesystem": {"strictDeny": true}}')"
weak=$(strict '"**/.env"' '' ', "onUnavailable": "degrade"')
fresh_log
check 'with onUnavailable "degrade" it starts' pen -p "$weak" -- true
logged '... and the record says what does not hold' 'ev.event == "degraded" and "strictDeny" in ev.reason'
finish

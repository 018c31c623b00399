#!/bin/bash
# SPDX-License-Identifier: MIT
# Directories so deep that no path leads there: they stop no start, and denied names in them are held.
. "$(dirname "$0")/lib.sh"
need python3
cat >"$WS/deep.py" <<'P'
import os, sys, time
what, name = sys.argv[1:3]
def step(make):
    if make:
        try: os.mkdir("d" * 200)
        except FileExistsError: pass
    os.chdir("d" * 200)
for i in range(40):
    step(what == "make")
if what in ("make", "write"):
    with open(name, "w") as f: f.write("deep\n")
elif what == "read":
    try: print("read", open(name).read().strip())
    except OSError as e: print("refused", e.strerror)
elif what == "plant":
    if "/" in name: os.mkdir(os.path.dirname(name))
    with open(name, "w") as f: f.write("planted\n")
    for i in range(100):
        if not os.path.exists(name):
            break
        time.sleep(0.05)
    print("gone" if not os.path.exists(name) else "stays")
P
as_tenant() { (cd "$WS" && exec setpriv --reuid=$TENANT --regid=$TENANT --clear-groups "$@"); }
check 'a tree of 8000 bytes depth is made' as_tenant python3 deep.py make .env
as_tenant python3 deep.py write plain
expect 'without a pen its secret is read' '^read deep$' as_tenant python3 deep.py read .env
check 'a session starts in such a workspace' pen -- true
expect 'what is not denied is read there' '^read deep$' pen -- python3 deep.py read plain
expect 'what has a denied name is not' '^refused' pen -- python3 deep.py read .env
fresh_log
expect 'what is planted there is taken away' '^gone$' pen -- python3 deep.py plant .env.local
logged '... and told' 'ev.event == "fs_deny" and ev.action == "quarantined" and ev.path.endswith("/.env.local")'
fresh_log
check 'a session that makes it deeper goes on' pen -- sh -c '
	python3 deep.py make plain && mkdir -p x && mv dddd* x/ && sleep 0.2 && mv x/dddd* . && echo on'
check 'and the next one starts' pen -- true
logged 'nothing was degraded' 'all(l.event != "degraded" for l in lines)'
# An outsider's file, while a session runs.
start_pen -- sh -c 'touch ready; for i in $(seq 200); do test -e go && exec python3 deep.py read .env.late; sleep 0.1; done' >"$T/late.out"
until_true 10 test -e "$WS/ready"
as_tenant python3 deep.py write .env.late
sleep 0.2
: >"$WS/go"
wait "$pen_pid"
expect 'what an outsider makes there is out of reach' '^refused' cat "$T/late.out"
rm -rf "${WS:?}"/d* "$WS"/x
finish

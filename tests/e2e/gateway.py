#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A scripted gateway: 200 mixed calls through `pinfold exec`, several at a time, while another process
answers what waits for approval.  Then the record of that run is checked line by line.

gateway.py PINFOLD DIRECTORY CONFIG LOG CALLS
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time

pinfold, directory, config, log, wanted = sys.argv[1:6]
Call = collections.namedtuple("Call", "kind agent origin sender extra argv code")

# Each kind: what is asked for, and how it has to end.  {n} is the number of the call.
KINDS = [
    Call("host", "main", "cli", None, [], ["date", "+host-{n}"], 0),
    Call("pen", "main", "channel:telegram", "1", [], ["echo", "pen-{n}"], 0),
    Call("fails", "main", "channel:telegram", "1", [], ["false"], 1),
    Call("denied tool", "reader", "channel:telegram", "1", [], ["echo", "never-{n}"], 77),
    Call("denied command", "main", "channel:telegram", "1", [], ["rm", "-r", "-f", "--", "/"], 77),
    Call("denied command", "main", "cli", None, [], ["shutdown", "-h", "now"], 77),
    Call("approved", "main", "channel:telegram", "1", [], ["cp", "yes-{n}", "copy-{n}"], 1),
    Call("refused", "main", "channel:telegram", "1", [], ["mv", "no-{n}", "moved-{n}"], 77),
    Call("closed gate", "main", "channel:telegram", "1", ["--elevated"], ["date", "+lift-{n}"], 77),
    Call("open gate", "main", "channel:telegram", "7", ["--elevated"], ["date", "+lift-{n}"], 0),
]


def run(number):
    call = KINDS[number % len(KINDS)]
    argv = [w.format(n=number) for w in call.argv]
    words = [pinfold, "exec", "--config", config, "--agent", call.agent, "--log", log,
             "--session", f"s{number}", "--origin", call.origin, "--quiet"] + call.extra
    if call.sender:
        words += ["--sender", call.sender]
    done = subprocess.run(words + ["--"] + argv, stdin=subprocess.DEVNULL, capture_output=True,
                          cwd=directory, text=True, timeout=300)
    return number, call, argv, done


def answer():
    """The other process: allows what says yes, denies what says no, and leaves the rest."""
    seen = set()
    while True:
        listed = subprocess.run([pinfold, "approve", "list", "--json"], capture_output=True, text=True)
        for one in json.loads(listed.stdout or "[]"):
            words = " ".join(one["command"]) if isinstance(one["command"], list) else one["command"]
            if one["id"] in seen or not one.get("session", "").startswith("agent:main:s"):
                continue
            verb = "allow" if "yes-" in words else "deny" if "no-" in words else None
            if verb:
                subprocess.run([pinfold, "approve", verb, one["id"]], capture_output=True)
                seen.add(one["id"])
        time.sleep(0.1)


failures = []


def check(good, words):
    if not good:
        failures.append(words)


def read_record():
    sessions = collections.defaultdict(list)
    with open(log, "rb") as f:
        for raw in f:
            check(raw.endswith(b"\n") and len(raw) <= 4096, f"not a whole line: {raw[:80]!r}")
            ev = json.loads(raw)
            check(ev["v"] == 1 and "ts" in ev and "seq" in ev and "event" in ev, f"members: {ev}")
            sessions[ev["session"]].append(ev)
    return sessions


def check_call(number, call, argv, done, lines):
    name = f"call {number} ({call.kind}: {argv})"
    code = call.code
    check(done.returncode == code, f"{name}: exit {done.returncode}, not {code}: {done.stderr[:300]}")
    ends = [ev for ev in lines if ev["event"] == "tool_execution"]
    check(len(ends) == 1, f"{name}: {len(ends)} lines tool_execution")
    if len(ends) != 1:
        return
    end = ends[0]
    fenced = call.origin.startswith("channel") and call.kind != "open gate"
    ran = code != 77
    check(end["agent"] == call.agent and end["tool"] == "exec", f"{name}: {end}")
    check(end["channel"] == call.origin.replace("channel:", ""), f"{name}: channel {end}")
    check(end["sandbox"] == (fenced and ran), f"{name}: sandbox {end}")
    check(end["location"] == ("nowhere" if not ran else "pen" if fenced else "host"), f"{name}: {end}")
    check(("refused" in end) == (code == 77), f"{name}: refused {end}")
    check(end["steps"], f"{name}: no steps")
    if ran:
        check(end["result"]["exitCode"] == code and end["result"]["success"] == (code == 0), f"{name}: {end}")
    approvals = [ev["result"] for ev in lines if ev["event"] == "approval"]
    expected = {"approved": ["requested", "granted"], "refused": ["requested", "denied"],
                "denied command": ["denied"]}.get(call.kind, [])
    check(approvals == expected, f"{name}: approvals {approvals}")
    check(end["approval"]["required"] == (call.kind in ("approved", "refused")), f"{name}: {end}")
    if call.kind == "approved":
        check(end["approval"]["result"] == "approved" and end["approval"]["latencyMs"] >= 0, f"{name}: {end}")
    policies = [ev for ev in lines if ev["event"] == "tool_policy"]
    check(len(policies) == (call.kind == "denied tool"), f"{name}: tool_policy {policies}")


def main():
    helper = os.fork()
    if helper == 0:
        answer()
    try:
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            results = list(pool.map(run, range(int(wanted))))
    finally:
        os.kill(helper, 9)
        os.waitpid(helper, 0)
    record = read_record()
    for number, call, argv, done in results:
        check_call(number, call, argv, done, record[f"agent:{call.agent}:s{number}"])
    ends = sum(ev["event"] == "tool_execution" for lines in record.values() for ev in lines)
    check(ends == int(wanted), f"{ends} lines tool_execution, not {wanted}")
    events = {ev["event"] for lines in record.values() for ev in lines}
    known = {"tool_execution", "tool_policy", "approval", "session_start", "policy_load", "session_end"}
    check(events <= known, f"unexpected events {events - known}")
    for f in failures[:20]:
        print(f)
    sys.exit(bool(failures))


main()

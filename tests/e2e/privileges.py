# SPDX-License-Identifier: MIT
"""privileges.py THREAT-MODEL PROCESS PID: what the process has, beside what the table promises."""
import os
import re
import sys

NAMES = """CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE
NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT
SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE
AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ
PERFMON BPF CHECKPOINT_RESTORE""".split()


def promised(path, process):
    with open(path, encoding="utf-8") as f:
        text = f.read().split("## What each process may", 1)[1].split("\n## ", 1)[0]
    for line in text.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if cells[0].split(" of ")[0] == process:
            caps = set() if cells[2] == "none" else set(re.split(r", ", cells[2]))
            return cells[1], caps, int(cells[3]), cells[4] == "yes"
    sys.exit(f"{path} says nothing of {process}")


def caps_of(word):
    mask = int(word, 16)
    assert mask < 1 << 64
    return {NAMES[i] if i < len(NAMES) else f"number {i}" for i in range(64) if mask >> i & 1}


def main():
    uid, caps, filters, no_new = promised(sys.argv[1], sys.argv[2])
    with open(f"/proc/{sys.argv[3]}/status", encoding="ascii", errors="replace") as f:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
    # Whoever started this test may have less than root has.
    with open("/proc/self/status", encoding="ascii", errors="replace") as f:
        ours = next(caps_of(line.split()[1]) for line in f if line.startswith("CapEff:"))
    wrong = []
    if uid.isdigit() and status["Uid"].split() != [uid] * 4:
        wrong.append(f"uid {status['Uid']}, not {uid}")
    if not uid.isdigit() and "0" in status["Uid"].split():
        wrong.append("it is root")
    for name in ("CapEff", "CapPrm", "CapBnd"):
        if caps_of(status[name]) != caps & ours:
            wrong.append(f"{name} {sorted(caps_of(status[name]))}, not {sorted(caps & ours)}")
    for name in ("CapInh", "CapAmb"):
        if caps_of(status[name]):
            wrong.append(f"{name} is not empty")
    if status["NoNewPrivs"] != str(int(no_new)):
        wrong.append(f"NoNewPrivs {status['NoNewPrivs']}")
    if status.get("Seccomp_filters", str(filters)) != str(filters):
        wrong.append(f"{status['Seccomp_filters']} filters, not {filters}")
    if status["Seccomp"] != ("2" if filters else "0"):
        wrong.append(f"Seccomp {status['Seccomp']}")
    print("; ".join(wrong) or "as promised")
    return 1 if wrong else 0


if os.path.basename(sys.argv[0]) == "privileges.py":
    sys.exit(main())

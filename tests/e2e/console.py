#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""console.py FILE: types what a text's console blocks show into one shell, and compares.

A line that starts with "$ " is a command, "> " goes on with it, the others are its output: all of it,
in that order, where "…" stands for anything (alone on a line: for any lines).  Output is compared only
for commands that show some.  Prints TAP, one line for each command.
"""
import re
import subprocess
import sys

END = "\x04end of command\x04"


def blocks(text):
    return re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)


def steps(text):
    """A list of [command, lines of output]."""
    found = []
    for line in "".join(blocks(text)).splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> "):
            found[-1][0] += "\n" + line[2:]
        else:
            found[-1][1].append(line)
    return found


def pattern(lines):
    out = ""
    for line in lines:
        out += r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
    return out


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        todo = steps(f.read())
    shell = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    failed = 0
    for n, (command, wanted) in enumerate(todo, 1):
        shell.stdin.write(f"{command}\necho '{END}'\n")
        shell.stdin.flush()
        got = ""
        for line in shell.stdout:
            if line == END + "\n":
                break
            got += line
        fits = not wanted or re.fullmatch(pattern(wanted), got)
        failed += not fits
        print(f"{'ok' if fits else 'not ok'} {n} - {command.splitlines()[0]}")
        if not fits:
            print("".join(f"#   got: {line}\n" for line in got.splitlines()))
    shell.stdin.close()
    shell.wait()
    print(f"1..{len(todo)}")
    return failed > 0 or not todo


if __name__ == "__main__":
    sys.exit(main())

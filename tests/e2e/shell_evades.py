# SPDX-License-Identifier: MIT
"""shell_evades.py JUDGE DIR: lines that try to get a command past the rules behind one that is approved.

The kinds stand in shell_evades.txt.  Each is written with several spellings of the command, behind, in front
of and inside other commands.  JUDGE must not allow a line unless bash and dash, with a program that records
itself in place of every command, run nothing that is not approved, and leave no file.
"""
import os
import re
import shutil
import subprocess
import sys

RULES = """{autoApprove: ['ls *', 'echo *', 'git log *', 'find *', 'cat *', 'printf *', 'test *', 'true', 'cd *', 'pwd *',
    'head *', 'grep *', 'sort *', '[ *', 'wc *', 'env', 'tar t*', 'date *', 'ps *', 'ssh *', 'xargs *', 'time *']}"""
SPELLINGS = ["evil x", "e''vil x", "\\evil x", "$'evil' x", "ev\\\nil x"]
APPROVED = ["ls", "echo", "git", "find", "cat", "head", "grep", "sort", "wc", "tar", "date", "ps", "ssh", "xargs"]
OTHERS = ["evil", "sudo", "rm", "touch"]
REAL = ["bash", "dash", "sh", "nice", "nohup", "timeout", "env", "stdbuf"]
STUB = "#!/bin/dash\nprintf '%s\\0' \"${0##*/}\" >>\"$TRACE\"\n"
PLAIN = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}


def decoded(text):
    """A kind as it is written in the file; bytes that are no UTF-8 become surrogates."""
    def one(m):
        if m[0][0:2] == "\\\\":
            return "\\\n" if m[0].endswith("n") else m[0]
        if m[1]:
            return chr(int(m[1], 16) + (0xdc00 if m[1] >= "8" else 0))
        return chr(int(m[2], 16)) if m[2] else PLAIN[m[3]]

    return re.sub(r"\\\\n|\\\\|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\([nrtvf])(?![a-z])", one, text)


def lines_of(kinds):
    for kind in kinds:
        for spelling in SPELLINGS if "@" in kind else [""]:
            yield kind.replace("@", spelling)
    for kind in kinds:
        line = kind.replace("@", SPELLINGS[0])
        if "'" not in line:
            yield f"bash -c '{line}'"
            yield f"nice sh -c '{line}'"
        for form in ("echo y && %s", "%s\nls", "time %s", "ls | %s"):
            yield form % line


def as_bytes(line):
    return line.encode("utf-8", "surrogateescape")


def verdicts(judge, lines):
    text = b"".join(as_bytes(line) + b"\0" for line in lines)
    out = subprocess.run([judge, "judge", RULES], input=text, stdout=subprocess.PIPE, check=True).stdout
    return out.decode().split("\n")[:-1]


def make_programs(directory):
    os.makedirs(directory)
    for name in APPROVED + OTHERS:
        with open(f"{directory}/{name}", "w") as f:
            f.write(STUB)
        os.chmod(f"{directory}/{name}", 0o755)
    for name in REAL:
        os.symlink(shutil.which(name), f"{directory}/{name}")


def ran(shell, line, directory):
    """The names of what that shell runs of it, and of files that it leaves."""
    work, trace = directory + "/work", directory + "/trace"
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work)
    with open(trace, "w"):
        pass
    subprocess.run([shutil.which(shell), "-c", as_bytes(line)], cwd=work, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False,
                   env={"PATH": directory + "/programs", "TRACE": trace, "HOME": work})
    with open(trace, errors="replace") as f:
        names = f.read().split("\0")[:-1]
    return names + [f"a file '{name}'" for name in os.listdir(work)]


def main():
    judge, directory = sys.argv[1:3]
    with open(os.path.splitext(__file__)[0] + ".txt", encoding="utf-8") as f:
        kinds = [decoded(line[:-1]) for line in f if line[0] != "#" or line[1] != " "]
    kinds = [kind for kind in kinds if kind and "\0" not in kind]
    lines = list(dict.fromkeys(lines_of(kinds)))
    answers = verdicts(judge, lines)
    if len(answers) != len(lines) or set(answers) - {"allow", "ask", "deny"}:
        sys.exit(f"{len(lines)} lines, {len(answers)} answers")
    make_programs(directory + "/programs")
    allowed = [line for line, answer in zip(lines, answers) if answer == "allow"]
    wrong = 0
    for line in allowed:
        for shell in ("bash", "dash"):
            more = [name for name in ran(shell, line, directory) if name not in APPROVED]
            wrong += bool(more)
            if more:
                print(f"{line!r} is allowed, and {shell} runs {more}")
    if not allowed or len(lines) < 4000:
        sys.exit("too few lines to prove anything")
    print(f"{len(lines)} lines of {len(kinds)} kinds, {len(allowed)} of them allowed")
    sys.exit(wrong > 0)


main()

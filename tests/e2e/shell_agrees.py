# SPDX-License-Identifier: MIT
"""shell_agrees.py READER DIR SHELL LINES | --self-test

Generates lines, lets READER take them apart, and runs those that it does not doubt in SHELL, where
every command is a program that appends its arguments to a file.  Fails when the words that ran are
not the words that were read.  SEED in the environment repeats a run.
"""
import collections
import os
import random
import subprocess
import sys

NAMES = ["a", "b", "x", "ab", "a b", "time"]
STUB = """#!/bin/dash
printf '%s\\0' "$#" "${0##*/}" "$@" >>"$TRACE"
exit "$STATUS"
"""
# Lines that once were, or easily are, read wrongly.
TRICKY = [
    "a #b", "a b#c", "a '' \"\" b", "a\tb", "a \\\n b", "a \\\n\\\n b", "a;b;", "a;;b", "a & b", "a &", "a&b",
    "a&&b", "a &&\n\n b", "a && # x\n b", "a | # x\n b", "a\n\n\n b", "a\n#c\nb", "! a", "! a | b", "! a && b",
    "a && ! b", "a || b && x", "a && b || x", "a | b && x", "a 2>&1", "a>out", "a 2>out", "a2>out", "a 2 >out",
    "a>out b", ">out a b", "<in a", "2>&1 a", "a '2'>out", "a \\2>out", "a>&2", "a >&2 b", "a 2>&1 >out b",
    "a>out>out b", "a>>out b", "a>|out b", "a<>io b", "a<in b", "a 0<in", "a 2>&- b", "a <&0 b", "X=1 a", "X=1 Y=2 a b",
    "X=1", "X=1; a", "X= a", "X='b c' a", "a X=1", "'X'=1 a", "1X=2 a", "X\\=1 a", ">out X=1 a", "X=1 >out a",
    "time a", "time -p a b", "time a | b", "time a; b", "a time", "'if' a", "a if", "a then b", "a { }", "a }",
    "a {}", "a x{} {x}", "a @{1}", "a x@{b}y", "a {x", "a x}", "a b~", "a b~x", "a x/~", "a -~", "a =b", "a b=c=d",
    "a $ b", "a b$ x", "a \"$\" b", "a \"x$ y\"", "a '$x' \"\\$x\"", "a \"\\x\\\\\"", "a \"a\\`b\"", "a \\$x", "a \\`x",
    "a ! b", "a b! x", "a \"b!\" x", "a !=b", "a x!=y", "a \\!b", "a '!b'", "a [", "a [ b ]", "a ]b", "a b]", "a \\*",
    "a '*' \"?\"", "a \\~", "a '~'", "a % b", "a %b", "a ^ b", "a b^c", "a -- b", "a - b", "a + b", "a , b", "a b,c",
    "a 'b\nc'", "a \"b\nc\"", "a \\\"b", "a \\'b", "a 'b\"c' \"d'e\"", "a\\ b", "'a b' x", "\"a b\"", "a'b'x", "a|b|x",
    "a |& b", "a\n b |& x", "a >/dev/null 2>&1", "a </dev/null", "a '\t' b", "a \xe9", "a '\u20ac' \u20ac", "a \\\u20ac b",
    "a\n\\\nb", "\\\na", " \\\n a", "a ;\\\n b", "a \\\n#b", "a&\nb&\nx", "a\\\\ b", "a \\\\\\b", "a \"b\\c\\\"d\"", "a ''b''",
    "!a", "! !a", "!\\\na", "a |b\n|x", "a\n;b", "a& ;b", "a :b", "a ~:b", "a x:~", "a .", "./a", "../a", "a/b x", "a ..",
    "a {b..x}", "a {b,x}", "a b,{x}", "a {,}", "a {b", "a '{b,x}'", "a \\{b,x}", "a {b\\,x}", "a {b','x}", "a x{b,}y",
    "a 1>out", "a 12>out", "a 1 2>out", "a 1<in", "a {x}>out", "a x>out", "a x1>out", "a 1x>out", "a 1'x'>out",
]
SOUP = ["a", "b", "x", "a", "b", " ", " ", " ", " ", "\n", "\t", ";", "&", "|", "&&", "||", "|&", "'", "\"", "\\", "$", "!",
        "#", "~", "*", "?", "[", "]", "{", "}", ",", "..", "=", "X=", ":", "%", "^", "-", "+", "@", "/", "1", "2", "12",
        ">", "<", ">out", "<in", "2>&1", ">>out", "`", "(", ")", "time ", "if ", "then ", "'b x'", "\"b x\"", "\\ ", "\\\n",
        "''", "\"\"", "\u20ac", "&>", ">&", "<<", "<<<"]


def word(rng):
    return "".join(rng.choice(["a", "b", "x", "'a b'", "\"b x\"", "\\ ", "''", "\"\\\"\"", "'$x'", "\\$", "1", "=", "-", "\\\\",
                               "{}", ",", "#", "\\;", "'|'", "\"&\"", "@{1}", "~", ":", "/", "%", "^", "!", "]"])
                   for _ in range(rng.randint(1, 4)))


def command(rng):
    parts = []
    if rng.random() < 0.1:
        parts.append("! ")
    if rng.random() < 0.15:
        parts.append("X=" + word(rng) + " ")
    parts.append(rng.choice(["a", "b", "x", "'a'", "\\b", "a''b", "'a b'", "a", "b", "time a"]))
    for _ in range(rng.randint(0, 4)):
        parts.append(rng.choice([" ", "  ", "\t", " \\\n "]) + word(rng))
        if rng.random() < 0.15:
            parts.append(rng.choice([" >out", " 2>&1", " <in", " >>out", " >/dev/null", " 2>&-", ">|out", " <&0"]))
    return "".join(parts)


def structured(rng):
    line = command(rng)
    for _ in range(rng.randint(0, 4)):
        line += rng.choice(["; ", ";", " && ", "||", " | ", "\n", " & ", "&&\n", " |& ", "|\n", " #c\n", "\n\n"])
        line += command(rng)
    return line + rng.choice(["", "", ";", " &", " # end", "\n"])


def soup(rng):
    return "a " + "".join(rng.choice(SOUP) for _ in range(rng.randint(1, 12)))


def generate(rng, count):
    yield from TRICKY
    for i in range(count):
        yield structured(rng) if i % 2 else soup(rng)


def read_all(reader, lines):
    """[(doubt, [(joint, negated, words, files)])] in the order of the lines."""
    text = b"".join(line.encode() + b"\0" for line in lines)
    out = subprocess.run([reader, "read"], input=text, stdout=subprocess.PIPE, check=True).stdout
    fields = iter(out.split(b"\0"))
    readings = []
    for _ in lines:
        doubt, n = next(fields).decode(), int(next(fields))
        commands = []
        for _ in range(n):
            joint, negated, words = next(fields).decode(), next(fields) == b"1", int(next(fields))
            words = [next(fields) for _ in range(words)]
            files = [next(fields) for _ in range(int(next(fields)))]
            commands.append((joint, negated, words, files))
        readings.append((doubt, commands))
    return readings


def ran(words, shell, status):
    """The words that a stub records for this command, and the command's own status."""
    if not words:
        return None, 0
    if shell == "bash" and words[0] == b"time":
        words = words[2:] if words[1] == b"-p" else words[1:]
    if words[0].decode() not in NAMES:
        return None, 127
    return words, status


def expected(commands, shell, status):
    trace, last, i, live = [], 0, 0, True
    while i < len(commands):
        joint, negated = commands[i][:2]
        if joint in ("", ";", "&"):
            live = True
        elif joint in ("&&", "||"):
            live = (last == 0) == (joint == "&&")
        end = i + 1
        while end < len(commands) and commands[end][0] in ("|", "|&"):
            end += 1
        if live:
            for part in commands[i:end]:
                record, code = ran(part[2], shell, status)
                if record is not None:
                    trace.append(tuple(record))
            last = int(code == 0) if negated else code
        i = end
    return collections.Counter(trace)


def run(shell, line, status, where):
    trace = os.path.join(where, "trace")
    if os.path.exists(trace):
        os.unlink(trace)
    alive, done = os.pipe()
    env = {"PATH": os.path.join(where, "stubs"), "TRACE": trace, "STATUS": str(status), "LANG": "C.UTF-8"}
    with open(os.path.join(where, "cwd", "in"), "w", encoding="utf-8"):
        pass
    subprocess.run(["/bin/" + shell, "-c", line], env=env, cwd=os.path.join(where, "cwd"), stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[done], timeout=20, check=False)
    os.close(done)
    os.read(alive, 1)  # what runs in the background has ended
    os.close(alive)
    records = []
    if os.path.exists(trace):
        fields = open(trace, "rb").read().split(b"\0")
        while len(fields) > 1:
            n = int(fields[0])
            records.append(tuple(fields[1:n + 2]))
            fields = fields[n + 2:]
    return collections.Counter(records)


FILES = [b"in", b"out", b"io", b"/dev/null", b"0", b"1", b"2", b"-"]


def may_stop(shell, commands):
    """dash knows no |&; and a command does not start whose file can't be opened."""
    return any((shell == "dash" and c[0] == "|&") or not set(c[3]) <= set(FILES) for c in commands)


def prepare(where):
    os.makedirs(os.path.join(where, "stubs"), exist_ok=True)
    os.makedirs(os.path.join(where, "cwd"), exist_ok=True)
    for name in NAMES:
        path = os.path.join(where, "stubs", name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(STUB)
        os.chmod(path, 0o755)


def main():
    reader, where = map(os.path.abspath, sys.argv[1:3])
    if sys.argv[3] == "--self-test":
        assert read_all(reader, ["a 'b c' | x; X=1", "a *"])[0][1][0][2] == [b"a", b"b c"]
        assert expected(read_all(reader, ["a && b || x"])[0][1], "bash", 1) == collections.Counter([(b"a",), (b"x",)])
        print("ok")
        return 0
    shell, count = sys.argv[3], int(sys.argv[4])
    seed = int(os.environ.get("SEED", "1"))
    lines = list(generate(random.Random(seed), count))
    prepare(where)
    taken = failed = 0
    for line, (doubt, commands) in zip(lines, read_all(reader, lines)):
        if doubt:
            continue
        taken += 1
        for status in (0, 1):
            want, got = expected(commands, shell, status), run(shell, line, status, where)
            if got != want and (not may_stop(shell, commands) or got - want):
                failed += 1
                print(f"{line!r} (status {status})\n  read {dict(want)}\n  ran  {dict(got)}")
    print(f"{taken} of {len(lines)} lines taken apart, {failed} wrong")
    return 1 if failed or taken * 3 < len(lines) else 0


sys.exit(main())

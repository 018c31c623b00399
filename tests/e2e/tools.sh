#!/bin/bash
# SPDX-License-Identifier: MIT
# What people run inside works with no rule at all: compilers, git, python, node, terminals.
. "$(dirname "$0")/lib.sh"
need gcc git node python3

# --- building ------------------------------------------------------------------------------------
expect 'gcc compiles and its program runs' '^42$' pen -- sh -c '
	printf "%s\n" "#include <stdio.h>" "int main(void) { puts(\"42\"); return 0; }" > a.c
	gcc -o a a.c && ./a'
expect 'make runs recipes in parallel' '^done$' pen -- sh -c '
	printf "all: a b c\n\t@echo done\na b c:\n\t@sleep 0.1\n" > Makefile && make -s -j4'

# --- git -----------------------------------------------------------------------------------------
expect 'git init, commit, branch, merge and log work' '^2$' pen -- sh -c '
	git init -q repo && cd repo && git config user.email a@b.test && git config user.name a &&
	echo 1 > f && git add f && git commit -qm one && git checkout -qb side && echo 2 > f &&
	git commit -qam two && git checkout -q - && git merge -q side && git log --oneline | wc -l'
expect 'git clone of a repository in the workspace works' '^one$' pen -- sh -c '
	git clone -q repo copy && git -C copy log --format=%s | tail -1'

# --- interpreters --------------------------------------------------------------------------------
expect 'python makes and uses a venv' '^venv$' pen -- sh -c '
	python3 -m venv --without-pip v && ./v/bin/python -c "
import sys; print(\"venv\" if sys.prefix != sys.base_prefix else \"no\")"'
expect 'python multiprocessing works: semaphores in /dev/shm' '^\[0, 1, 4, 9\]$' pen -- python3 -c '
import multiprocessing
def square(n): return n * n
with multiprocessing.Pool(2) as p: print(p.map(square, range(4)))'
expect 'python asyncio wakes another thread: send on a socketpair' '^42$' pen -- python3 -c '
import asyncio, threading
loop = asyncio.new_event_loop(); threading.Thread(target=loop.run_forever, daemon=True).start()
print(asyncio.run_coroutine_threadsafe(asyncio.sleep(0, 42), loop).result(5))'
expect 'shared memory works' '^ok$' pen -- python3 -c '
from multiprocessing import shared_memory as m
s = m.SharedMemory(create=True, size=99); t = m.SharedMemory(s.name)
s.buf[0] = 7; print("ok" if t.buf[0] == 7 else "no"); t.close(); s.close(); s.unlink()'
expect 'node runs a child process' '^child$' pen -- node -e '
	console.log(String(require("child_process").execFileSync("echo", ["child"])).trim())'
expect 'node runs worker threads' '^worker$' pen -- node -e '
	const { Worker } = require("worker_threads");
	new Worker("require(\"worker_threads\").parentPort.postMessage(\"worker\")", { eval: true })
		.on("message", console.log);'

# --- small things ----------------------------------------------------------------------------------
expect 'sort with files in TMPDIR works' '^1$' pen -- sh -c 'seq 200000 -1 1 | sort -n -S 64K | head -1'
expect 'mktemp works in TMPDIR and in /tmp' '^ok$' pen -- sh -c 'mktemp >/dev/null && mktemp -p /tmp >/dev/null && echo ok'
expect 'a pseudo-terminal can be opened' '^True$' pen -- python3 -c '
import os, pty; m, s = os.openpty(); print(os.isatty(s) and os.ttyname(s).startswith("/dev/pts/"))'
expect 'the usual devices are there' '^ok$' pen -- sh -c '
	echo x > /dev/null && head -c 9 /dev/zero >/dev/null && head -c 9 /dev/urandom >/dev/null &&
	! echo x 2>/dev/null > /dev/full && echo ok'
expect 'standard output can be opened by name, a pipe too' '^ok$' pen -- sh -c 'echo ok > /dev/stdout'
expect 'no other device is' '^$' pen -- sh -c \
	'for d in sda vda mem kmsg kvm fuse net/tun; do test -e /dev/$d && echo $d; done; true'
expect 'a unix socket in the workspace works' '^same$' pen -- python3 -c '
import socket, threading
s = socket.socket(socket.AF_UNIX); s.bind("own.sock"); s.listen()
threading.Thread(target=lambda: s.accept()[0].sendall(b"same")).start()
c = socket.socket(socket.AF_UNIX); c.connect("own.sock"); print(c.recv(9).decode())'
expect 'an abstract socket of the session works' '^same$' pen -- python3 -c '
import socket, threading
s = socket.socket(socket.AF_UNIX); s.bind("\0own"); s.listen()
threading.Thread(target=lambda: s.accept()[0].sendall(b"same")).start()
c = socket.socket(socket.AF_UNIX); c.connect("\0own"); print(c.recv(9).decode())'
expect 'ps shows the session and nothing else' '^ok$' pen -- sh -c \
	'[ "$(ls -d /proc/[0-9]* | wc -l)" -le 6 ] && echo ok'
expect 'signals between processes of the session work' '^ok$' pen -- sh -c \
	'sleep 60 & kill $! && wait $!; [ $? = 143 ] && echo ok'
expect 'a here-document, a pipe and a background job work in bash' '^A b$' pen -- bash -c '
	sleep 0 & wait; x=$(tr a A <<< a); cat <<< "$x b"'
expect 'the name of the host and the number of the user can be asked' '^.+ 10001$' pen -- sh -c 'echo $(uname -n) $(id -u)'
expect 'times and locales work' '^1970$' pen -- date -u -d @0 +%Y
expect 'curl and openssl find their certificates' '^ok$' pen -- sh -c 'ls /etc/ssl/certs >/dev/null && echo ok'

# --- sub-sandboxes and privilege -------------------------------------------------------------------
expect 'sudo and su gain nothing' '^10001$' pen -- sh -c 'sudo -n true 2>/dev/null; su -c true 2>/dev/null </dev/null; id -u'
expect 'no user namespace can be made' '^no$' pen -- sh -c 'unshare -Ur true 2>/dev/null && echo yes || echo no'
expect 'nothing can be mounted' '^no$' pen -- sh -c 'mount -t tmpfs x . 2>/dev/null && echo yes || echo no'

finish

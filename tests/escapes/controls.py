#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Positive controls: what a correct sandbox must still ALLOW.  A box that blocks everything would pass all escape tests.
Prints one line per control: OK name / BROKEN name why.  Exit 1 when one is broken.  CONTROLS_SKIP = space separated names."""
import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "include"))
E = os.environ.get
IP = E("ALLOWED_IP", "198.51.100.1")
IP6 = E("ALLOWED_IP6", "2001:db8:88::1")
P = int(E("TARGET_PORT", "48080"))
WS = E("WORKSPACE", "/tmp/pf/ws")


def echo(s, a):
    s.settimeout(3)
    s.connect(a)
    s.sendall(b"ctl")
    assert s.recv(10) == b"ctl"


def tcp4():
    echo(socket.socket(), (IP, P))


def tcp6():
    echo(socket.socket(socket.AF_INET6), (IP6, P))


def tcp_mapped():
    echo(socket.socket(socket.AF_INET6), ("::ffff:" + IP, P))


def udp_connected():
    echo(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), (IP, P))


def udp_unconnected():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(3)
    s.sendto(b"ctl", (IP, P))
    assert s.recv(10) == b"ctl"


def udp_connected_cmsg():  # what QUIC stacks do: ECN/TTL control data on a connected socket
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(3)
    s.connect((IP, P))
    s.sendmsg([b"ctl"], [(socket.IPPROTO_IP, socket.IP_TTL, (64).to_bytes(4, "little"))])
    assert s.recv(10) == b"ctl"


def dns_allowed():
    import dnsc

    i, q = dnsc.query("ok." + dnsc.ALLOWED)
    assert dnsc.addrs(dnsc.udp(q)), "no answer"


def file_rw():
    p = os.path.join(WS, "ctl")
    open(p, "w").write("x")
    os.rename(p, p + "2")
    os.mkdir(p + "d")
    os.rename(p + "2", p + "d/2")
    os.unlink(p + "d/2")
    os.rmdir(p + "d")


def tmp():
    f = tempfile.NamedTemporaryFile()
    f.write(b"x")
    f.flush()


def dev():
    open("/dev/null", "w").write("x")
    assert open("/dev/urandom", "rb").read(4)


def fork_exec():
    assert subprocess.run(["/bin/echo", "hi"], capture_output=True).stdout == b"hi\n"


def threads():
    t = [threading.Thread(target=lambda: None) for _ in range(8)]
    [x.start() for x in t]
    [x.join() for x in t]


def asyncio_wakeup():  # needs send() on a socketpair (codex issue 33793)
    l = asyncio.new_event_loop()
    threading.Thread(target=l.run_forever, daemon=True).start()
    assert asyncio.run_coroutine_threadsafe(asyncio.sleep(0, 42), l).result(3) == 42


def socketpair():
    a, b = socket.socketpair()
    a.sendall(b"x")
    assert b.recv(1) == b"x"


def signal_child():
    p = subprocess.Popen(["/bin/sleep", "9"])
    p.kill()
    p.wait()


def getaddrinfo_literal():
    socket.getaddrinfo(IP, P)


bad = 0
for f in (
    tcp4,
    tcp6,
    tcp_mapped,
    udp_connected,
    udp_unconnected,
    udp_connected_cmsg,
    dns_allowed,
    file_rw,
    tmp,
    dev,
    fork_exec,
    threads,
    asyncio_wakeup,
    socketpair,
    signal_child,
    getaddrinfo_literal,
):
    if f.__name__ in E("CONTROLS_SKIP", "").split():
        continue
    try:
        f()
        print("OK", f.__name__)
    except Exception as e:
        bad += 1
        print("BROKEN", f.__name__, type(e).__name__, e)
sys.exit(bool(bad))

# SPDX-License-Identifier: MIT
"""Tiny DNS client for the escape programs (own code). Env: DNS_SERVER, DNS_PORT, ALLOWED_DOMAIN."""
import os
import socket
import struct
import sys
import random
import time


def env(k, d):
    v = os.environ.get(k)
    return v if v else d


SERVER = env("DNS_SERVER", "127.0.0.1")
PORT = int(env("DNS_PORT", "5353"))
ALLOWED = env("ALLOWED_DOMAIN", "googleapis.com")
A, NS, CNAME, NULL, TXT, AAAA, SVCB, HTTPS, ANY, AXFR = 1, 2, 5, 10, 16, 28, 64, 65, 255, 252


def out(tag, why):
    print(tag, why, flush=True)
    os._exit({"ESCAPED": 1, "BLOCKED": 0, "SKIP": 77}[tag])


def escaped(w):
    out("ESCAPED", w)


def blocked(w):
    out("BLOCKED", w)


def skip(w):
    out("SKIP", w)


def labels(name):
    """str -> wire; a list of bytes is taken as raw labels."""
    ls = (
        name
        if isinstance(name, list)
        else [x.encode("latin1") for x in name.rstrip(".").split(".")]
    )
    return b"".join(bytes([len(x)]) + x for x in ls) + b"\0"


def query(name, qt=A, qclass=1, flags=0x0100, qd=None, extra=b"", ar=0):
    i = random.randrange(65536)
    q = qd if qd is not None else [(name, qt, qclass)]
    return (
        i,
        struct.pack("!6H", i, flags, len(q), 0, 0, ar)
        + b"".join(labels(n) + struct.pack("!2H", t, c) for n, t, c in q)
        + extra,
    )


def skipname(b, o):
    while True:
        n = b[o]
        if n == 0:
            return o + 1
        if n >= 0xC0:
            return o + 2
        o += n + 1


def parse(b):
    """-> rcode, [(section, type, ttl, rdata)]"""
    i, fl, qd, an, ns, ar = struct.unpack("!6H", b[:12])
    o = 12
    for _ in range(qd):
        o = skipname(b, o) + 4
    rr = []
    for s, n in ((1, an), (2, ns), (3, ar)):
        for _ in range(n):
            o = skipname(b, o)
            t, c, ttl, l = struct.unpack("!HHIH", b[o : o + 10])
            o += 10
            rr.append((s, t, ttl, b[o : o + l]))
            o += l
    return fl & 15, rr


def udp(pkt, server=None, port=None, t=2.0):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(t)
    try:
        s.connect((server or SERVER, port or PORT))
        s.send(pkt)
        return s.recv(65535)
    except (OSError, socket.timeout) as e:
        return e
    finally:
        s.close()


def tcp(data, server=None, port=None, t=2.0, chunks=None):
    try:
        s = socket.create_connection((server or SERVER, port or PORT), t)
        s.settimeout(t)
        for c in chunks or [data]:
            s.sendall(c)
            time.sleep(0.05)
        buf = b""
        try:
            while True:
                d = s.recv(65535)
                if not d:
                    break
                buf += d
        except (OSError, socket.timeout):
            pass
        r = []
        while len(buf) >= 2:
            n = struct.unpack("!H", buf[:2])[0]
            r.append(buf[2 : 2 + n])
            buf = buf[2 + n :]
        return r
    except OSError as e:
        return e


def addrs(reply, sections=(1,)):
    if isinstance(reply, Exception):
        return []
    try:
        rc, rr = parse(reply)
    except Exception:
        return []
    r = []
    for s, t, ttl, d in rr:
        if s not in sections:
            continue
        if t == A and len(d) == 4:
            r.append(socket.inet_ntop(socket.AF_INET, d))
        if t == AAAA and len(d) == 16:
            r.append(socket.inet_ntop(socket.AF_INET6, d))
    return r


def alive():
    """the resolver must answer an ordinary allowed query, else a BLOCKED would mean nothing"""
    i, q = query("ok." + ALLOWED)
    r = udp(q)
    if isinstance(r, Exception) or not addrs(r):
        if os.environ.get("DEAD_IS_ESCAPE"):
            return False
        skip("resolver %s:%d does not answer ok.%s (%r)" % (SERVER, PORT, ALLOWED, r))
    return True


def connect_echo(ip, port, t=2.0):
    n = b"pf-%d" % random.randrange(1 << 48)
    try:
        s = socket.create_connection((ip, port), t)
        s.settimeout(t)
        s.sendall(n)
        d = s.recv(200)
        return n in d
    except OSError as e:
        return e

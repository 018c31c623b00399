#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tls.py KIND HOST:PORT ARGUMENTS...: one try at a TLS server, told in one line.

  ok TEXT        the server answered
  cut            the connection was reset or closed
  denied ERRNO   connect was refused

tls.py serve PORT KIND FILE: a server that only looks like one, see serve().
"""
import errno
import hashlib
import os
import socket
import ssl
import sys
import threading
import time

RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
CHANGE_CIPHER = bytes.fromhex("140303000101")


def connect(where):
    host, _, port = where.rpartition(":")
    s = socket.create_connection((host.strip("[]"), int(port)), 10)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    s.settimeout(10)
    return s


def receive(s, size=65536):
    data = s.recv(size)
    if not data:
        raise ConnectionResetError("closed")
    return data


def context(maximum=None):
    c = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    c.check_hostname = False
    c.verify_mode = ssl.CERT_NONE
    if maximum:
        c.maximum_version = maximum
    return c


def begin(name):
    """A client's first bytes, and what they came from."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context().wrap_bio(incoming, outgoing, server_hostname=name)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read(), tls, incoming


def hello(name):
    return begin(name)[0]


def get(tls):
    tls.sendall(b"GET / HTTP/1.0\r\n\r\n")
    answer = b""
    while part := tls.recv(65536):
        answer += part
    return answer.split(b"\r\n\r\n")[-1].decode().strip()


def names(where, name=None, maximum=None):
    with context(maximum).wrap_socket(connect(where), server_hostname=name) as tls:
        return get(tls)


def tls12(where, name):
    return names(where, name, ssl.TLSVersion.TLSv1_2)


def peer(where, name):
    with context().wrap_socket(connect(where), server_hostname=name) as tls:
        get(tls)
        return "%s %d" % tls.getpeername()[:2]


def drip(where, name):
    """Byte by byte, each a segment of its own."""
    s = connect(where)
    first, tls, incoming = begin(name)
    for i in range(len(first)):
        s.sendall(first[i:i + 1])
        time.sleep(0.001)
    while True:
        incoming.write(receive(s))
        try:
            tls.do_handshake()
            return "shaken hands with " + tls.version()
        except ssl.SSLWantReadError:
            pass


def records(where, name):
    """The ClientHello in records of seven bytes."""
    s = connect(where)
    body = hello(name)[5:]
    s.sendall(b"".join(b"\x16\x03\x01" + len(body[i:i + 7]).to_bytes(2, "big") + body[i:i + 7]
                       for i in range(0, len(body), 7)))
    return "answer of type %d" % receive(s)[0]


def raw(where, text):
    s = connect(where)
    s.sendall(text.encode().decode("unicode_escape").encode("latin-1"))
    return repr(receive(s, 100))


def direct(where):
    s = connect(where)
    return "connected to %s" % s.getpeername()[0]


def silent(where):
    s = connect(where)
    start = time.monotonic()
    try:
        s.recv(1)
    except ConnectionResetError:
        pass
    return "cut after %d s" % (time.monotonic() - start)


def open_close(where):
    connect(where).close()
    return "closed"


def pipelined(where, first, second):
    """Two ClientHellos at once."""
    s = connect(where)
    s.sendall(hello(first) + CHANGE_CIPHER + hello(second))
    data = receive(s)
    while len(data) < 296:
        data += receive(s)
    return "answered %s" % data[96:].decode()


def transfer(where, name, megabytes):
    """Sends that much to an echo, ends sending, and has it all back."""
    size = int(megabytes) << 20
    block = os.urandom(1 << 16)
    s = connect(where)
    s.settimeout(60)
    s.sendall(hello(name))
    receive(s, 48)
    there, back = hashlib.blake2b(), hashlib.blake2b()

    def send():
        for _ in range(size >> 16):
            s.sendall(block)
        s.shutdown(socket.SHUT_WR)

    thread = threading.Thread(target=send)
    start = time.monotonic()
    thread.start()
    parts = []
    while part := s.recv(1 << 18):
        parts.append(part)
    seconds = time.monotonic() - start
    thread.join()
    for _ in range(size >> 16):
        there.update(block)
    for part in parts:
        back.update(part)
    same = there.digest() == back.digest()
    return "%s, %d MB/s" % ("intact" if same else "damaged", 2 * size / seconds / 1e6)


def slow_reader(where, name, megabytes):
    """Asks for much, and counts what was sent before it read anything."""
    s = connect(where)
    s.sendall(hello(name))
    receive(s, 48)
    s.settimeout(1)
    sent = 0
    try:
        while sent < int(megabytes) << 20:
            sent += s.send(bytes(1 << 16))
    except TimeoutError:
        return "stopped"
    return "never stopped"


def many(where, name, count):
    """Connections at once, all of them used."""
    all_of_them = [connect(where) for _ in range(int(count))]
    for s in all_of_them:
        s.sendall(hello(name))
    for s in all_of_them:
        receive(s, 48)
    for i, s in enumerate(all_of_them):
        s.sendall(b"%d" % i)
    return "%d of %s" % (sum(receive(s) == b"%d" % i for i, s in enumerate(all_of_them)), count)


# ---- a server that only looks like one --------------------------------------------------------


def server_hello(random):
    """48 bytes: a record with the start of a ServerHello."""
    return b"\x16\x03\x03\x00\x2b\x02\x00\x00\x27\x03\x03" + random + bytes(5)


def answer(s, kind, log):
    """echo: takes the first bytes for a ClientHello and sends back all others.  retry: wants
    another ClientHello, and tells how many came.  plain: is no TLS server."""
    first = s.recv(65536)
    if kind == "plain":
        s.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        try:
            rest = s.recv(65536)
        except ConnectionResetError:
            rest = b""
        os.write(log, b"plain %d\n" % len(rest))
        return
    if kind == "retry":
        time.sleep(0.3)
        s.setblocking(False)
        try:
            first += s.recv(65536)
        except BlockingIOError:
            pass
        s.setblocking(True)
        os.write(log, b"before %d\n" % first.count(b".test"))
        s.sendall(server_hello(RETRY))
        second = s.recv(65536)
        os.write(log, b"second %s\n" % (b"shared-b" if b"shared-b.test" in second else b"same"))
    s.sendall(server_hello(bytes(32)))
    if kind == "retry":
        s.sendall(b"." * 200)
    while part := s.recv(1 << 18):
        s.sendall(part)


def serve(port, kind, path):
    log = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def guarded(s):
        try:
            answer(s, kind, log)
        except OSError:
            pass
        s.close()

    listener = socket.create_server(("", int(port)), backlog=256)
    while True:
        s = listener.accept()[0]
        threading.Thread(target=guarded, args=(s,), daemon=True).start()


def main():
    try:
        print("ok", globals()[sys.argv[1]](*sys.argv[2:]), flush=True)
        return
    except (ConnectionResetError, BrokenPipeError, ssl.SSLEOFError):
        print("cut", flush=True)
    except socket.gaierror:
        print("denied NXDOMAIN", flush=True)
    except OSError as e:
        word = "denied" if e.errno in (errno.EPERM, errno.ECONNREFUSED) else "failed"
        print(word, errno.errorcode.get(e.errno, e), flush=True)
    sys.exit(13)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""servers.py DIR TLS_PORT ADDRESS...: what answers in the lab.

TCP on every address: "ok ADDRESS" (80 and 8080 answer HTTP when asked in HTTP; 22 greets like sshd).
UDP echo on every address.  TLS on TLS_PORT with a certificate by server name.
Everything that arrives is one line in DIR/hits.log; DIR/ready appears when all of it listens.
"""
import os
import select
import socket
import ssl
import sys
import threading

DIR, TLS_PORT, ADDRESSES = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
TCP_PORTS = [p for p in (22, 25, 80, 443, 853, 5432, 8080, 8443) if p != TLS_PORT]
UDP_PORTS = (53, 123, 443, 5353, 8443)
NAMES = ("api.test", "shared-a.test", "shared-b.test", "other.test", "x.wild.test")
HITS = os.open(DIR + "/hits.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)


def hit(proto, address, port, note=""):
    os.write(HITS, f"{proto} {address} {port} {note}".rstrip().encode() + b"\n")


def plain(address):
    return address.removeprefix("::ffff:")


def http_reply(conn, address):
    body = f"ok {address}\n".encode()
    conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n")
    conn.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def answer_tcp(conn, port):
    """A client that speaks first within 0.3 s is answered in HTTP or echoed; others are greeted."""
    address = plain(conn.getsockname()[0])
    hit("tcp", address, port)
    first = b""
    if port in (80, 8080, 5432) and select.select([conn], [], [], 0.3)[0]:
        first = conn.recv(65536)
    if first[:4] in (b"GET ", b"HEAD", b"POST"):
        http_reply(conn, address)
    elif port == 22:
        conn.sendall(b"SSH-2.0-lab\r\n")
    else:
        conn.sendall(f"ok {address}\n".encode())
    while port == 8443:  # an open connection that echoes, for tests of long-lived flows
        data = conn.recv(4096)
        if not data:
            break
        conn.sendall(data)


def answer_tls(conn, context):
    address = plain(conn.getsockname()[0])
    with context.wrap_socket(conn, server_side=True) as tls:
        hit("tls", address, TLS_PORT, getattr(tls, "lab_name", None) or "-")
        tls.recv(65536)
        http_reply(tls, address)


def guarded(function, conn, argument):
    try:
        conn.settimeout(30)
        function(conn, argument)
    except OSError:
        pass
    finally:
        conn.close()


def serve_tcp(listener, function, argument):
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=guarded, args=(function, conn, argument), daemon=True).start()


def listen_tcp(port):
    s = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 16)
    s.bind(("::", port))
    s.listen(256)
    return s


def listen_udp(address, port):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    scope = (0, socket.if_nametoindex("lo")) if address.startswith("fe80") else ()
    s.bind((address, port, *scope))
    return s


def serve_udp(sockets):
    while True:
        for s in select.select(sockets, [], [])[0]:
            data, peer = s.recvfrom(65536)
            address, port = s.getsockname()[:2]
            hit("udp", address, port)
            try:
                s.sendto(data, peer)
            except OSError:
                pass


def tls_context():
    contexts = {}
    for name in NAMES:
        contexts[name] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        contexts[name].load_cert_chain(f"{DIR}/{name}.pem", f"{DIR}/{name}.key")

    def choose(tls, name, _):
        tls.lab_name = name
        tls.context = contexts.get(name, contexts[NAMES[0]])

    contexts[NAMES[0]].sni_callback = choose
    return contexts[NAMES[0]]


def main():
    for port in TCP_PORTS:
        args = (listen_tcp(port), answer_tcp, port)
        threading.Thread(target=serve_tcp, args=args, daemon=True).start()
    args = (listen_tcp(TLS_PORT), answer_tls, tls_context())
    threading.Thread(target=serve_tcp, args=args, daemon=True).start()
    dns = os.environ.get("LAB_DNS")
    udp = [listen_udp(a, p) for a in ADDRESSES for p in UDP_PORTS if (a, p) != (dns, 53)]
    open(DIR + "/ready", "w").close()
    serve_udp(udp)


main()

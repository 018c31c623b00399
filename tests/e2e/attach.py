# SPDX-License-Identifier: MIT
"""What a service has open before it gets a fence.

attach.py ADDRESS:PORT... connects to each, listens on 127.0.0.1 and on all addresses, prints "up", and
then does what each line of standard input says: "N" talks over connection N, "listen" prints the port
that is open to all, "end" ends it."""
import socket
import sys

peers = []
for word in sys.argv[1:]:
    host, port = word.rsplit(":", 1)
    peer = socket.create_connection((host, int(port)), timeout=5)
    peer.recv(64)  # the server's greeting
    peers.append(peer)
wide = socket.create_server(("", 0))
print("up", flush=True)
for line in sys.stdin:
    word = line.strip()
    if word == "end":
        break
    if word == "listen":
        print("port", wide.getsockname()[1], flush=True)
        continue
    peer = peers[int(word)]
    try:
        peer.settimeout(2)
        peer.sendall(b"echo")
        print(word, "ok" if peer.recv(64) else "end", flush=True)
    except OSError as error:
        print(word, type(error).__name__, flush=True)

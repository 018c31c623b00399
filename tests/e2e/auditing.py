#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""auditing.py: prints whether the kernel's auditing is on (0, 1 or 2); auditing.py 0|1: sets it."""
import socket
import struct
import sys

NETLINK_AUDIT, AUDIT_GET, AUDIT_SET, NLM_F_REQUEST, NLM_F_ACK, NLMSG_ERROR = 9, 1000, 1001, 1, 4, 2
STATUS_ENABLED = 1


def ask(sock, kind, flags, payload=b""):
    sock.send(struct.pack("=IHHII", 16 + len(payload), kind, NLM_F_REQUEST | flags, 1, 0) + payload)
    while True:
        data = sock.recv(65536)
        got, = struct.unpack_from("=H", data, 4)
        if got == NLMSG_ERROR and struct.unpack_from("=i", data, 16)[0]:
            sys.exit("refused: %d" % struct.unpack_from("=i", data, 16))
        if got in (kind, NLMSG_ERROR):
            return data[16:]


with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_AUDIT) as s:
    s.settimeout(5)
    if len(sys.argv) == 1:
        print(struct.unpack_from("=II", ask(s, AUDIT_GET, 0))[1])
    else:
        ask(s, AUDIT_SET, NLM_F_ACK, struct.pack("=10I", STATUS_ENABLED, int(sys.argv[1]), *[0] * 8))

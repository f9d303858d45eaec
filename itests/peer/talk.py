"""talk.py exec LINE | put FILE PATH | await PORT: asks the peer's agent, see guest/agent.py."""
import json
import os
import socket
import struct
import sys

what, first = sys.argv[1:3]
with socket.create_connection(("10.77.0.2", 7000), timeout=10) as conn:
    conn.settimeout(None)
    stream = conn.makefile("rb")
    if what == "exec":
        conn.sendall(json.dumps({"run": first}).encode() + b"\n")
    elif what == "await":
        conn.sendall(json.dumps({"await": int(first)}).encode() + b"\n")
    else:
        conn.sendall(json.dumps({"put": sys.argv[3], "size": os.path.getsize(first)}).encode() + b"\n")
        with open(first, "rb") as file:
            conn.sendfile(file)
    while True:
        head = stream.read(5)
        if len(head) < 5:
            sys.exit("peer: it hung up")
        kind, length = struct.unpack(">cI", head)
        data = stream.read(length)
        if kind == b"s":
            sys.exit(int(data))
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

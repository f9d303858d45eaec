"""talk.py exec LINE | put FILE PATH | await PORT: asks the peer's agent, see guest/agent.py.

talk.py door SOCKET: lets others ask it, through a Unix socket, which reaches into the namespace; until its input ends.
"""
import json
import os
import socket
import struct
import sys
import threading


def agent():
    conn = socket.create_connection(("10.77.0.2", 7000), timeout=10)
    conn.settimeout(None)
    return conn


def pass_on(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one of the two has hung up, and the other sees it


def serve(near):
    with near, agent() as far:
        back = threading.Thread(target=pass_on, args=(far, near), daemon=True)
        back.start()
        pass_on(near, far)
        back.join()


what, first = sys.argv[1:3]
if what == "door":
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(first)
        server.listen(64)
        print("open", flush=True)
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
with agent() as conn:
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

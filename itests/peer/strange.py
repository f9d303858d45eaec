"""strange.py FROM TO COUNT SEED PORT: sends messages of the connection manager that no program would send, each with a
right ICRC, to QP1 of a RoCE device (T19): any bytes at all, and requests that are nearly right, some of them for PORT.

It goes through an ordinary UDP socket that is not connected, so the IP identification of its packets is 0.
"""
import random
import socket
import struct
import sys
import time
import zlib

ROCE = 4791
BURST = 64  # a QP1 of Linux has room for 512


def packet(source, target, port, mad, psn):
    bth = struct.pack(">BBHII", 0x64, 0, 0xFFFF, 1, psn)
    body = struct.pack(">II", 0x80010000, 1) + mad
    size = len(bth) + len(body) + 4 + 8
    ip = struct.pack(">BBHHHBBH", 0x45, 0xFF, size + 20, 0, 0x4000, 0xFF, 17, 0xFFFF)
    udp = struct.pack(">HHHH", port, ROCE, size, 0xFFFF)
    masked = bth[:4] + b"\xff" + bth[5:]
    covered = b"\xff" * 8 + ip + socket.inet_aton(source) + socket.inet_aton(target) + udp + masked + body
    return bth + body + struct.pack("<I", zlib.crc32(covered))


def mapped(address):
    return bytes(10) + b"\xff\xff" + socket.inet_aton(address)


def request(chance, source, target, port):
    """The 232 bytes of a REQ that is right but for a few bytes."""
    data = bytearray(232)
    struct.pack_into(">I", data, 0, chance.randrange(1, 64))
    struct.pack_into(">Q", data, 8, 0x01060000 | chance.choice((port, chance.randrange(65536))))
    struct.pack_into(">Q", data, 16, chance.randrange(8))
    struct.pack_into(">I", data, 32, chance.randrange(1 << 12) << 8 | 1)
    data[39] = 1
    struct.pack_into(">I", data, 43, 20 << 27 | chance.randrange(1 << 24))
    data[47] = 20 << 3 | 7
    data[48:52] = b"\xff\xff\x37\xf0"
    data[52:56] = b"\xff" * 4
    data[56:72] = mapped(source)
    data[72:88] = mapped(target)
    data[93] = 64
    data[95] = 16 << 3
    data[141] = 0x40
    struct.pack_into(">H", data, 142, chance.randrange(65536))
    data[156:160] = socket.inet_aton(source)
    data[172:176] = socket.inet_aton(target)
    for _ in range(chance.choice((0, 0, 1, 2, 8))):
        data[chance.randrange(232)] = chance.randrange(256)
    return bytes(data)


def message(chance, source, target, port):
    kind = chance.randrange(0x10, 0x1D)
    if chance.random() < 0.3:
        kind, data = 0x10, request(chance, source, target, port)
    else:
        # its numbers are small, so that some meet
        data = struct.pack(">II", chance.randrange(64), chance.randrange(64)) + chance.randbytes(224)
    strange = chance.random() < 0.05
    head = [1, 7, 2, 3]
    if strange:
        head[chance.choice((0, 2, 3))] = chance.randrange(256)
        kind = chance.randrange(65536)
    return struct.pack(">BBBBHHQHHI", *head, 0, 0, chance.getrandbits(64), kind, 0, 0) + data


here, there, count, seed, service = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
rng = random.Random(seed)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    sender.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER, IP_PMTUDISC_DO: the bit "don't fragment"
    sender.bind((here, 0))
    own = sender.getsockname()[1]
    for number in range(count):
        mad = message(rng, here, there, service)
        sender.sendto(packet(here, there, own, mad, number & 0xFFFFFF), (there, ROCE))
        if number % BURST == 0:
            time.sleep(0.01)
print("sent", count)

"""scenario.py srv|cli PEER NAME GID_INDEX: one exchange over verbs, with the statuses that both ends saw.

Run on the peer; the other end speaks the same protocol over TCP port 18516, line by line: both say
"qpn psn gid addr rkey" (numbers in decimal), both say "ready" when their queue pair is in RTS; the server says
"go KEY" (of a memory window, or 0), the client says "end". Each work completion becomes a line "wc ID STATUS", of a
receive "wc ID STATUS BYTES" and " #IMMEDIATE" if there is any; a request that is refused when it is posted "wc ID
refused"; data a line "data HEX", of the CRC when it is much; at the end "state QP_STATE". Names that begin with uc_ or
ud_ are of that service.
"""
import faulthandler
import socket
import sys
import time
import zlib

import pyverbs.enums as e
from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBindInfo
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.wr import SGE, RecvWR, SendWR

faulthandler.dump_traceback_later(50)  # says where it hangs
role, peer, name, index = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
SIZE = 1 << 18
COUNT, LENGTH, COUNTER = 4, 12000, 200000  # of bulk
ALL = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC
rights = e.IBV_ACCESS_LOCAL_WRITE if name == "no_perm" and role == "srv" else ALL
rnr_retry = 2 if name == "rnr_exceed" else 7
context = Context(name="rxe0")
pd = PD(context)
cq = CQ(context, 128)
mr = MR(pd, SIZE, ALL | e.IBV_ACCESS_MW_BIND)
service = {"uc_": e.IBV_QPT_UC, "ud_": e.IBV_QPT_UD}.get(name[:3], e.IBV_QPT_RC)
cap = QPCap(max_send_wr=64, max_recv_wr=64, max_send_sge=1, max_recv_sge=1)
if "inv" in name:
    qp = QPEx(context, QPInitAttrEx(qp_type=service, scq=cq, rcq=cq, sq_sig_all=1, cap=cap, pd=pd,
                                    comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
                                    send_ops_flags=e.IBV_QP_EX_WITH_SEND_WITH_INV | e.IBV_QP_EX_WITH_BIND_MW
                                    | e.IBV_QP_EX_WITH_RDMA_WRITE))
else:
    qp = QP(pd, QPInitAttr(qp_type=service, scq=cq, rcq=cq, sq_sig_all=1, cap=cap))
if role == "srv":
    with socket.create_server(("", 18516)) as server:
        conn, _ = server.accept()
else:
    conn = socket.create_connection((peer, 18516), timeout=60)
conn.settimeout(60)
lines = conn.makefile("r")  # a stream for both ways would forget what it has read ahead when it is written to


def tell(text):
    conn.sendall(text.encode() + b"\n")


def hear():
    line = lines.readline()
    if not line:
        sys.exit("the other end hung up")
    return line.strip()


PSN = 0xFFFFF0  # wraps soon
tell("%d %d %s %d %d" % (qp.qp_num, PSN, context.query_gid(1, index), mr.buf, mr.rkey))
words = hear().split()
their_qpn, their_psn, their_gid = int(words[0]), int(words[1]), words[2]
their_addr, their_rkey = int(words[3]), int(words[4])
path = AHAttr(gr=GlobalRoute(dgid=GID(their_gid), sgid_index=index, hop_limit=64), is_global=1, port_num=1)
QKEY = 0x11111111


def connect_ud():
    attr = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1)
    attr.qkey = QKEY
    qp.modify(attr, e.IBV_QP_STATE | e.IBV_QP_PORT | e.IBV_QP_PKEY_INDEX | e.IBV_QP_QKEY)
    qp.modify(QPAttr(qp_state=e.IBV_QPS_RTR), e.IBV_QP_STATE)
    attr = QPAttr(qp_state=e.IBV_QPS_RTS)
    attr.sq_psn = PSN
    qp.modify(attr, e.IBV_QP_STATE | e.IBV_QP_SQ_PSN)


def connect():
    rc = service == e.IBV_QPT_RC
    attr = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1)
    attr.qp_access_flags = rights
    qp.modify(attr, e.IBV_QP_STATE | e.IBV_QP_PORT | e.IBV_QP_PKEY_INDEX | e.IBV_QP_ACCESS_FLAGS)
    attr = QPAttr(qp_state=e.IBV_QPS_RTR, port_num=1)
    attr.path_mtu, attr.dest_qp_num, attr.rq_psn = 3, their_qpn, their_psn
    attr.min_rnr_timer, attr.max_dest_rd_atomic = 12, 4
    attr.ah_attr = path
    qp.modify(attr, e.IBV_QP_STATE | e.IBV_QP_AV | e.IBV_QP_PATH_MTU | e.IBV_QP_DEST_QPN | e.IBV_QP_RQ_PSN
              | (e.IBV_QP_MIN_RNR_TIMER | e.IBV_QP_MAX_DEST_RD_ATOMIC if rc else 0))
    attr = QPAttr(qp_state=e.IBV_QPS_RTS, port_num=1)
    # 4 s: a time-out while the answer is under way brings rdma_rxe's sequence numbers out of step
    # losses are to be noticed soon, and rdma_rxe counts each gap as a try, but never to the end of 7
    attr.timeout, attr.retry_cnt = (16, 7) if name == "bulk" else (20, 6)
    attr.sq_psn, attr.rnr_retry, attr.max_rd_atomic = PSN, rnr_retry, 4
    qp.modify(attr, e.IBV_QP_STATE | e.IBV_QP_SQ_PSN
              | (e.IBV_QP_TIMEOUT | e.IBV_QP_RETRY_CNT | e.IBV_QP_RNR_RETRY | e.IBV_QP_MAX_QP_RD_ATOMIC if rc else 0))


connect_ud() if service == e.IBV_QPT_UD else connect()
handle = AH(pd, attr=path) if service == e.IBV_QPT_UD else None  # must last until what was posted is sent
tell("ready")
hear()


def completions(count, seconds=30):
    end = time.time() + seconds
    while count > 0 and time.time() < end:
        number, found = cq.poll(1)
        for wc in found or []:
            received = wc.status == e.IBV_WC_SUCCESS and wc.opcode & e.IBV_WC_RECV
            immediate = received and wc.wc_flags & e.IBV_WC_WITH_IMM
            print("wc", wc.wr_id, wc.status, *([wc.byte_len] if received else []),
                  *(["#%08x" % socket.ntohl(wc.imm_data)] if immediate else []))
            count -= 1
    if count > 0:
        print("missing", count)


def receive(number, offset, length, lkey=None):
    sge = SGE(mr.buf + offset, length, mr.lkey if lkey is None else lkey)
    qp.post_recv(RecvWR(wr_id=number, num_sge=1, sg=[sge]))


def post(number, opcode, offset, length, remote=None, rkey=None, compare=0, swap=0):
    solicited = e.IBV_SEND_SOLICITED if number % 2 == 0 else 0
    wr = SendWR(wr_id=number, opcode=opcode, num_sge=1, sg=[SGE(mr.buf + offset, length, mr.lkey)],
                imm_data=socket.htonl(0x01020300 + number), send_flags=e.IBV_SEND_SIGNALED | solicited)
    key = their_rkey if rkey is None else rkey
    if opcode in (e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_WRITE_WITH_IMM, e.IBV_WR_RDMA_READ):
        wr.set_wr_rdma(key if remote is not None else 0, their_addr + remote if remote is not None else 0)
    if opcode in (e.IBV_WR_ATOMIC_CMP_AND_SWP, e.IBV_WR_ATOMIC_FETCH_AND_ADD):
        wr.set_wr_atomic(key, their_addr + remote, compare, swap)
    if service == e.IBV_QPT_UD:
        wr.set_wr_ud(handle, their_qpn, QKEY)
    try:
        qp.post_send(wr)
        return 1
    except PyverbsRDMAError:
        print("wc", number, "refused")
        return 0


def extended(number, fill):
    qp.wr_start()
    qp.wr_id, qp.wr_flags = number, e.IBV_SEND_SIGNALED
    fill()
    qp.wr_complete()
    completions(1)


def memory(offset, length):
    qp.wr_set_sge(SGE(mr.buf + offset, length, mr.lkey))


def pattern(length):
    return "".join(chr(32 + i * 7 % 95) for i in range(length))


def data(offset, length):
    found = mr.read(length, offset)
    print("data", found.hex() if length <= 4096 else "%08x" % zlib.crc32(found))


def server():
    if name == "ok":
        receive(1, 0, 4000)
        receive(2, 4000, 4000)
        receive(3, 8000, 4000)
    elif name == "too_long":
        receive(1, 0, 50)
        receive(2, 0, 50)
    elif name == "bad_lkey":
        receive(1, 0, 200, mr.lkey ^ 0x77)
    elif name in ("send_inv", "inv_bad_rkey", "uc_writes", "ud_sends"):
        receive(1, 0, 3000)
        receive(2, 4000, 3000)
    elif name == "misc":
        receive(1, 0, 0)
        receive(2, 0, 2500)
    elif name == "small":
        mr.write(pattern(12000), 12000)
        for i in range(1, 5):
            receive(i, 1000 * i, 1000)
    elif name == "bulk":
        for i in range(COUNT):
            receive(i, LENGTH * i, LENGTH)
    key = 0
    if name == "send_inv":
        window = MW(pd, e.IBV_MW_TYPE_2)
        key = (window.rkey & 0xFFFFFF00) | ((window.rkey + 1) & 0xFF)
        bind = MWBindInfo(mr, mr.buf, 4096, e.IBV_ACCESS_REMOTE_WRITE)
        extended(9, lambda: qp.wr_bind_mw(window, key, bind))
    tell("go %d" % key)
    if name == "rnr":
        time.sleep(0.2)
        receive(1, 0, 1000)
    completions({"ok": 3, "too_long": 2, "bad_lkey": 1, "rnr": 1, "send_inv": 2, "inv_bad_rkey": 2, "uc_writes": 2,
                 "ud_sends": 2, "misc": 2, "small": 4, "bulk": COUNT}.get(name, 0))
    hear()
    if name == "ok":
        data(0, 3001)
        data(20000, 3001)
        data(40000, 8)
    elif name in ("misc", "uc_writes"):
        data(20000, 2500)
    elif name == "ud_sends":
        for i in (0, 4000):
            data(i, 40)  # the GRH
            data(i + 40, 100)
    elif name == "small":
        data(2000, 7)
        data(3000, 6)
        data(9000, 1025)
    elif name == "atomics":
        data(40000, 8)
    elif name == "bulk":
        for i in range(2 * COUNT):
            data(LENGTH * i, LENGTH)
        data(COUNTER, 8)


def small():
    mr.write(pattern(4000), 4000)
    post(1, e.IBV_WR_SEND, 0, 0)
    post(2, e.IBV_WR_SEND, 0, 7)
    post(3, e.IBV_WR_SEND_WITH_IMM, 0, 6)
    post(4, e.IBV_WR_SEND_WITH_IMM, 0, 0)
    post(5, e.IBV_WR_RDMA_WRITE, 0, 0)
    post(6, e.IBV_WR_RDMA_WRITE, 5, 1, 9001)
    post(7, e.IBV_WR_RDMA_READ, 20000, 13, 9000)
    post(8, e.IBV_WR_RDMA_READ, 21000, 1024, 9000)
    post(9, e.IBV_WR_RDMA_READ, 23000, 1025, 9000)
    completions(9)
    data(20000, 13)
    data(21000, 1024)
    data(23000, 1025)


def bulk():
    mr.write(pattern(2 * LENGTH), 2 * LENGTH)
    for i in range(COUNT):
        post(i, e.IBV_WR_SEND, i, LENGTH)
        post(10 + i, e.IBV_WR_RDMA_WRITE, 10 + i, LENGTH, (COUNT + i) * LENGTH)
    completions(2 * COUNT)
    for i in range(COUNT):
        post(20 + i, e.IBV_WR_RDMA_READ, (2 + i) * LENGTH, LENGTH, (COUNT + i) * LENGTH)
        post(30 + i, e.IBV_WR_ATOMIC_FETCH_AND_ADD, COUNTER + 8 * i, 8, COUNTER, compare=5)
    completions(2 * COUNT)
    for i in range(COUNT):
        data((2 + i) * LENGTH, LENGTH)
    data(COUNTER, 8 * COUNT)


def client():
    window_key = int(hear().split()[1])
    if name == "ok":
        mr.write(pattern(3001), 3001)
        post(1, e.IBV_WR_SEND, 0, 3001)
        post(2, e.IBV_WR_SEND, 0, 0)
        post(3, e.IBV_WR_SEND_WITH_IMM, 0, 7)
        post(4, e.IBV_WR_RDMA_WRITE, 0, 3001, 20000)
        post(5, e.IBV_WR_RDMA_READ, 30000, 3001, 20000)
        post(6, e.IBV_WR_ATOMIC_FETCH_AND_ADD, 50000, 8, 40000, compare=5)
        post(7, e.IBV_WR_ATOMIC_CMP_AND_SWP, 50008, 8, 40000, compare=5, swap=9)
        completions(7)
        data(30000, 3001)
        data(50000, 16)
    elif name == "bad_rkey":
        post(1, e.IBV_WR_RDMA_WRITE, 0, 100, 0, their_rkey ^ 0x55)
        post(2, e.IBV_WR_RDMA_WRITE, 0, 100, 0)
        completions(2)
    elif name == "bad_rkey_read":
        post(1, e.IBV_WR_RDMA_READ, 0, 100, SIZE - 50)
        completions(1)
    elif name == "no_perm":
        post(1, e.IBV_WR_RDMA_READ, 0, 100, 0)
        completions(1)
    elif name == "misaligned_atomic":
        completions(post(1, e.IBV_WR_ATOMIC_FETCH_AND_ADD, 16, 8, 3, compare=5))
    elif name == "send_inv":
        extended(1, lambda: (qp.wr_rdma_write(window_key, their_addr + 128), memory(0, 16)))
        extended(2, lambda: (qp.wr_send_inv(window_key), memory(0, 20)))
        extended(3, lambda: (qp.wr_rdma_write(window_key, their_addr + 128), memory(0, 16)))
    elif name == "inv_bad_rkey":
        extended(1, lambda: (qp.wr_send_inv(their_rkey ^ 0x5500), memory(0, 20)))
    elif name == "misc":
        mr.write(pattern(2500), 2500)
        post(1, e.IBV_WR_RDMA_WRITE_WITH_IMM, 0, 2500, 20000)
        post(2, e.IBV_WR_SEND_WITH_IMM, 0, 2500)
        post(3, e.IBV_WR_RDMA_WRITE, 0, 0, 0, 0)
        post(4, e.IBV_WR_RDMA_READ, 30000, 1024, 20000)
        post(5, e.IBV_WR_RDMA_READ, 31024, 1476, 21024)
        completions(5)
        data(30000, 2500)
    elif name == "small":
        small()
    elif name == "read0":
        post(1, e.IBV_WR_RDMA_READ, 0, 0)
        completions(1)
    elif name == "atomics":
        post(1, e.IBV_WR_ATOMIC_CMP_AND_SWP, 0, 8, 40000, compare=0xDEAD, swap=1)
        post(2, e.IBV_WR_ATOMIC_CMP_AND_SWP, 8, 8, 40000, compare=0, swap=0x0102030405060708)
        post(3, e.IBV_WR_ATOMIC_FETCH_AND_ADD, 16, 8, 40000, compare=5)
        post(4, e.IBV_WR_ATOMIC_FETCH_AND_ADD, 24, 8, 40000, compare=0xFFFFFFFFFFFFFFFF)
        completions(4)
        data(0, 32)
    elif name == "bulk":
        bulk()
    elif name == "uc_writes":
        mr.write(pattern(2500), 2500)
        post(1, e.IBV_WR_RDMA_WRITE, 0, 2500, 20000)
        post(2, e.IBV_WR_RDMA_WRITE_WITH_IMM, 0, 10, 20000)
        post(3, e.IBV_WR_SEND_WITH_IMM, 0, 10)
        completions(3)
        data(0, 2500)
    elif name == "ud_sends":
        mr.write(pattern(100), 100)
        post(1, e.IBV_WR_SEND, 0, 100)
        post(2, e.IBV_WR_SEND_WITH_IMM, 0, 100)
        completions(2)
        data(0, 100)
    else:
        post(1, e.IBV_WR_SEND, 0, 100)
        completions(1)
    tell("end")


def state():
    return qp.query(0xFFFFF)[0].qp_state


server() if role == "srv" else client()
# rdma_rxe says NAK first, and goes to the error state then
REFUSED = ("bad_rkey", "bad_rkey_read", "no_perm", "misaligned_atomic", "too_long", "bad_lkey", "send_inv",
           "inv_bad_rkey")
tries = 0
while role == "srv" and name in REFUSED and state() == e.IBV_QPS_RTS and tries < 40:
    tries += 1
    time.sleep(0.05)
print("state", state())

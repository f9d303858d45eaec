package ib.itests.interop.scenario;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One exchange over verbs, in the steps of itests/peer/scenario.py. */
final class Scenario implements AutoCloseable {
  private static final int SIZE = 65536;
  private static final int PSN = 0xfffff0; // wraps soon
  private static final int RIGHTS =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

  private final boolean server;
  private final String name;
  private final Talk talk;
  private final IbDevice device;
  private final int gidIndex;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final MemoryRegion mr;
  private final QueuePair qp;
  private final StringBuilder seen = new StringBuilder();
  private long remoteAddress;
  private int remoteKey;

  Scenario(IbDevice device, int gidIndex, boolean server, String name, Talk talk) {
    this.device = device;
    this.gidIndex = gidIndex;
    this.server = server;
    this.name = name;
    this.talk = talk;
    pd = device.allocPd();
    cq = device.createCq(new CqInit(128));
    mr = pd.allocMemory(SIZE, 4096, RIGHTS);
    qp = pd.createQp(new QpInit(QpType.RC, cq, new QpCap(64, 64, 1, 1, 0)));
  }

  String run() throws IOException {
    connect();
    if (server) {
      serve();
    } else {
      request();
    }
    return seen.append("state ").append(qp.state()).append('\n').toString();
  }

  private void connect() throws IOException {
    Gid gid = device.gid(1, gidIndex);
    String groups = gid.toHex32().replaceAll("(.{4})(?!$)", "$1:");
    long key = mr.rkey() & 0xffffffffL;
    talk.tell(
        qp.qpn() + " " + PSN + " " + groups + " " + Long.toUnsignedString(mr.iova()) + " " + key);
    String[] words = talk.hear().split(" ");
    remoteAddress = Long.parseUnsignedLong(words[3]);
    remoteKey = Integer.parseUnsignedInt(words[4]);
    boolean closed = server && name.equals("no_perm");
    AhAttr path = AhAttr.ofGid(1, GlobalRoute.to(Gid.parse(words[2]), gidIndex));
    qp.modify(
        new QpAttr()
            .state(QpState.INIT)
            .pkeyIndex(0)
            .port(1)
            .accessFlags(closed ? Access.LOCAL_WRITE : RIGHTS));
    qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(path)
            .pathMtu(Mtu.MTU_1024)
            .destQpn(Integer.parseInt(words[0]))
            .rqPsn(Integer.parseInt(words[1]))
            .maxDestRdAtomic(4)
            .minRnrTimer(12));
    qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .sqPsn(PSN)
            .timeout(14)
            .retryCount(7)
            .rnrRetry(name.equals("rnr_exceed") ? 2 : 7)
            .maxRdAtomic(4));
    talk.tell("ready");
    talk.hear();
  }

  private void serve() throws IOException {
    int expected =
        switch (name) {
          case "ok" -> {
            receive(1, 0, 4000, mr.lkey());
            receive(2, 4000, 4000, mr.lkey());
            receive(3, 8000, 4000, mr.lkey());
            yield 3;
          }
          case "too_long" -> {
            receive(1, 0, 50, mr.lkey());
            receive(2, 0, 50, mr.lkey());
            yield 2;
          }
          case "bad_lkey" -> {
            receive(1, 0, 200, mr.lkey() ^ 0x77);
            yield 1;
          }
          case "rnr" -> 1;
          default -> 0;
        };
    talk.tell("go");
    if (name.equals("rnr")) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200)); // the sender is told to wait
      receive(1, 0, 1000, mr.lkey());
    }
    completions(expected);
    talk.hear();
    if (name.equals("ok")) {
      data(0, 3001);
      data(20000, 3001);
      data(40000, 8);
    }
  }

  private void request() throws IOException {
    talk.hear();
    switch (name) {
      case "ok" -> everything();
      case "bad_rkey" -> {
        post(1, WrOpcode.RDMA_WRITE, 0, 100, 0, remoteKey ^ 0x55);
        post(2, WrOpcode.RDMA_WRITE, 0, 100, 0, remoteKey);
        completions(2);
      }
      case "bad_rkey_read" -> one(WrOpcode.RDMA_READ, 100, SIZE - 50);
      case "no_perm" -> one(WrOpcode.RDMA_READ, 100, 0);
      case "misaligned_atomic" -> one(WrOpcode.ATOMIC_FETCH_AND_ADD, 8, 3);
      default -> one(WrOpcode.SEND, 100, 0);
    }
    talk.tell("end");
  }

  private void one(WrOpcode opcode, int length, int remote) {
    post(1, opcode, 0, length, remote, remoteKey);
    completions(1);
  }

  private void everything() {
    MemorySegment memory = mr.segment();
    for (int i = 0; i < 3001; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) (32 + i * 7 % 95));
    }
    post(1, WrOpcode.SEND, 0, 3001, 0, 0);
    post(2, WrOpcode.SEND, 0, 0, 0, 0);
    post(3, WrOpcode.SEND_WITH_IMM, 0, 7, 0, 0);
    post(4, WrOpcode.RDMA_WRITE, 0, 3001, 20000, remoteKey);
    post(5, WrOpcode.RDMA_READ, 30000, 3001, 20000, remoteKey);
    post(6, WrOpcode.ATOMIC_FETCH_AND_ADD, 50000, 8, 40000, remoteKey);
    post(7, WrOpcode.ATOMIC_CMP_AND_SWP, 50008, 8, 40000, remoteKey);
    completions(7);
    data(30000, 3001);
    data(50000, 16);
  }

  private void receive(long id, int offset, int length, int lkey) {
    check(qp.postReceive(id, lkey, mr.iova() + offset, length));
  }

  private void post(long id, WrOpcode opcode, int offset, int length, int remote, int key) {
    SendWr wr = new SendWr(1).wrId(id).opcode(opcode).flags(SendFlags.SIGNALED);
    wr.addSge(mr.lkey(), mr.iova() + offset, length).remoteAddr(remoteAddress + remote).rkey(key);
    check(qp.postSend(wr.compareAdd(5).swap(9)));
  }

  private static void check(int rc) {
    if (rc != 0) {
      throw new IllegalStateException("posting failed: " + rc);
    }
  }

  private void completions(int count) {
    WorkCompletion[] one = {new WorkCompletion()};
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    int left = count;
    while (left > 0 && System.nanoTime() < end) {
      if (cq.poll(one, 1) == 1) {
        seen.append("wc ").append(one[0].wrId()).append(' ').append(one[0].status().value());
        seen.append('\n');
        left--;
      } else {
        Thread.onSpinWait();
      }
    }
    if (left > 0) {
      seen.append("missing ").append(left).append('\n');
    }
  }

  private void data(int offset, int length) {
    byte[] bytes = mr.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    seen.append("data ").append(HexFormat.of().formatHex(bytes)).append('\n');
  }

  @Override
  public void close() {
    qp.close();
    mr.close();
    cq.close();
    pd.close();
  }
}

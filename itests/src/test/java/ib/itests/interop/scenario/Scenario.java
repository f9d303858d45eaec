package ib.itests.interop.scenario;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.MemoryWindow;
import ib.core.verbs.MemoryWork;
import ib.core.verbs.Mtu;
import ib.core.verbs.MwType;
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
import org.jspecify.annotations.Nullable;

/** One exchange over verbs, in the steps of itests/peer/scenario.py. */
final class Scenario implements AutoCloseable {
  private static final int SIZE = 65536;
  private static final int PSN = 0xfffff0; // wraps soon
  private static final int RIGHTS =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
  private static final int QKEY = 0x11111111;

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
  private final QpType service;
  private final WorkCompletion[] one = {new WorkCompletion()};
  private @Nullable AddressHandle ah;
  private @Nullable MemoryWindow window;
  private int remoteQpn;
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
    mr = pd.allocMemory(SIZE, 4096, RIGHTS | Access.MW_BIND);
    service = name.startsWith("ud_") ? QpType.UD : name.startsWith("uc_") ? QpType.UC : QpType.RC;
    qp = pd.createQp(new QpInit(service, cq, new QpCap(64, 64, 1, 1, 0)));
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
    remoteQpn = Integer.parseInt(words[0]);
    AhAttr path = AhAttr.ofGid(1, GlobalRoute.to(Gid.parse(words[2]), gidIndex));
    modify(path, Integer.parseInt(words[1]));
    talk.tell("ready");
    talk.hear();
  }

  private void modify(AhAttr path, int theirPsn) {
    boolean closed = server && name.equals("no_perm");
    QpAttr init = new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1);
    QpAttr rtr = new QpAttr().state(QpState.RTR);
    QpAttr rts = new QpAttr().state(QpState.RTS).sqPsn(PSN);
    if (service == QpType.UD) {
      init.qkey(QKEY);
      ah = pd.createAh(path);
    } else {
      init.accessFlags(closed ? Access.LOCAL_WRITE : RIGHTS);
      rtr.av(path).pathMtu(Mtu.MTU_1024).destQpn(remoteQpn).rqPsn(theirPsn);
    }
    if (service == QpType.RC) {
      rtr.maxDestRdAtomic(4).minRnrTimer(12);
      rts.timeout(20).retryCount(6).maxRdAtomic(4).rnrRetry(name.equals("rnr_exceed") ? 2 : 7);
    }
    qp.modify(init);
    qp.modify(rtr);
    qp.modify(rts);
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
          case "send_inv", "inv_bad_rkey", "uc_writes", "ud_sends" -> {
            receive(1, 0, 3000, mr.lkey());
            receive(2, 4000, 3000, mr.lkey());
            yield 2;
          }
          case "misc" -> {
            receive(1, 0, 0, mr.lkey());
            receive(2, 0, 2500, mr.lkey());
            yield 2;
          }
          default -> 0;
        };
    talk.tell("go " + (name.equals("send_inv") ? bind() & 0xffffffffL : 0));
    if (name.equals("rnr")) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200)); // the sender is told to wait
      receive(1, 0, 1000, mr.lkey());
    }
    completions(expected);
    talk.hear();
    switch (name) {
      case "ok" -> {
        data(0, 3001);
        data(20000, 3001);
        data(40000, 8);
      }
      case "misc", "uc_writes" -> data(20000, 2500);
      case "ud_sends" -> {
        data(40, 100); // behind the GRH
        data(4040, 100);
      }
      default -> {}
    }
  }

  private int bind() {
    MemoryWindow mw = pd.allocWindow(MwType.TYPE_2);
    window = mw;
    int key = MemoryRegion.nextKey(mw.rkey());
    MemoryWork work = new MemoryWork().bind(mw, key, mr, mr.iova(), 4096, Access.REMOTE_WRITE);
    check(
        qp.postSend(
            new SendWr(0).wrId(9).opcode(WrOpcode.BIND_MW).flags(SendFlags.SIGNALED).memory(work)));
    completions(1);
    return key;
  }

  private void request() throws IOException {
    int windowKey = Integer.parseUnsignedInt(talk.hear().split(" ")[1]);
    switch (name) {
      case "ok" -> everything();
      case "misc" -> misc();
      case "send_inv" -> {
        post(1, WrOpcode.RDMA_WRITE, 0, 16, 128, windowKey);
        completions(1);
        post(2, WrOpcode.SEND_WITH_INV, 0, 20, 0, windowKey);
        completions(1);
        post(3, WrOpcode.RDMA_WRITE, 0, 16, 128, windowKey);
        completions(1);
      }
      case "inv_bad_rkey" -> {
        post(1, WrOpcode.SEND_WITH_INV, 0, 20, 0, remoteKey ^ 0x5500);
        completions(1);
      }
      case "uc_writes" -> {
        pattern(2500);
        post(1, WrOpcode.RDMA_WRITE, 0, 2500, 20000, remoteKey);
        post(2, WrOpcode.RDMA_WRITE_WITH_IMM, 0, 10, 20000, remoteKey);
        post(3, WrOpcode.SEND_WITH_IMM, 0, 10, 0, 0);
        completions(3);
        data(0, 2500);
      }
      case "ud_sends" -> {
        pattern(100);
        post(1, WrOpcode.SEND, 0, 100, 0, 0);
        post(2, WrOpcode.SEND_WITH_IMM, 0, 100, 0, 0);
        completions(2);
        data(0, 100);
      }
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

  private void pattern(int length) {
    MemorySegment memory = mr.segment();
    for (int i = 0; i < length; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) (32 + i * 7 % 95));
    }
  }

  private void misc() {
    pattern(2500);
    post(1, WrOpcode.RDMA_WRITE_WITH_IMM, 0, 2500, 20000, remoteKey);
    post(2, WrOpcode.SEND_WITH_IMM, 0, 2500, 0, 0);
    post(3, WrOpcode.RDMA_WRITE, 0, 0, 0, 0);
    post(4, WrOpcode.RDMA_READ, 30000, 1024, 20000, remoteKey);
    post(5, WrOpcode.RDMA_READ, 31024, 1476, 21024, remoteKey);
    completions(5);
    data(30000, 2500);
  }

  private void everything() {
    pattern(3001);
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
    if (opcode == WrOpcode.SEND_WITH_INV) {
      wr.invalidateRkey(key);
    }
    if (ah != null) {
      wr.ah(ah).remoteQpn(remoteQpn).remoteQkey(QKEY);
    }
    check(qp.postSend(wr.compareAdd(5).swap(9)));
  }

  private static void check(int rc) {
    if (rc != 0) {
      throw new IllegalStateException("posting failed: " + rc);
    }
  }

  private void completions(int count) {
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
    if (ah != null) {
      ah.close();
    }
    if (window != null) {
      window.close();
    }
    mr.close();
    cq.close();
    pd.close();
  }
}

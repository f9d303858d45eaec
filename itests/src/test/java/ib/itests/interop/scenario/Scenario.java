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
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.core.verbs.WrOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** One exchange over verbs, in the steps of itests/peer/scenario.py. */
final class Scenario implements AutoCloseable {
  static final int SIZE = 1 << 18;
  private static final int PAGE = 4096;
  private static final int PSN = 0xfffff0; // wraps soon
  private static final int RIGHTS =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
  private static final int QKEY = 0x11111111;
  private static final int IMM = 0x01020300;

  final String name;
  final Talk talk;
  private final boolean server;
  private final IbDevice device;
  private final int gidIndex;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  final MemoryRegion mr;
  private final QueuePair qp;
  private final StringBuilder seen = new StringBuilder();
  private final QpType service;
  private final WorkCompletion[] one = {new WorkCompletion()};
  private @Nullable AddressHandle ah;
  private @Nullable MemoryWindow window;
  private int remoteQpn;
  private long remoteAddress;
  int remoteKey;

  Scenario(IbDevice device, int gidIndex, boolean server, String name, Talk talk) {
    this.device = device;
    this.gidIndex = gidIndex;
    this.server = server;
    this.name = name;
    this.talk = talk;
    pd = device.allocPd();
    cq = device.createCq(new CqInit(128));
    mr = pd.allocMemory(SIZE, PAGE, RIGHTS | Access.MW_BIND);
    service = name.startsWith("ud_") ? QpType.UD : name.startsWith("uc_") ? QpType.UC : QpType.RC;
    qp = pd.createQp(new QpInit(service, cq, new QpCap(64, 64, 1, 1, 0)));
  }

  String run() throws IOException {
    connect();
    if (server) {
      new Responder(this).run();
    } else {
      new Requester(this).run();
    }
    return seen.append("state ").append(qp.state().value()).append('\n').toString();
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
      boolean bulk = name.equals("bulk"); // losses are to be noticed soon
      rts.timeout(bulk ? 16 : 20).retryCount(6).maxRdAtomic(4);
      rts.rnrRetry(name.equals("rnr_exceed") ? 2 : WellKnown.RNR_RETRY_INFINITE);
    }
    qp.modify(init);
    qp.modify(rtr);
    qp.modify(rts);
  }

  /** Lets the other end write to the first page by a window; returns its key. */
  int bind() {
    MemoryWindow mw = pd.allocWindow(MwType.TYPE_2);
    window = mw;
    int key = MemoryRegion.nextKey(mw.rkey());
    MemoryWork work = new MemoryWork().bind(mw, key, mr, mr.iova(), PAGE, Access.REMOTE_WRITE);
    check(
        qp.postSend(
            new SendWr(0).wrId(9).opcode(WrOpcode.BIND_MW).flags(SendFlags.SIGNALED).memory(work)));
    completions(1);
    return key;
  }

  /** What the memory holds from its begin, before anything comes. */
  void pattern(int length) {
    MemorySegment memory = mr.segment();
    for (int i = 0; i < length; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) (32 + i * 7 % 95));
    }
  }

  void receive(long id, int offset, int length) {
    receive(id, offset, length, mr.lkey());
  }

  void receive(long id, int offset, int length, int lkey) {
    check(qp.postReceive(id, lkey, mr.iova() + offset, length));
  }

  void post(long id, WrOpcode opcode, int offset, int length, int remote, int key) {
    post(request(id, opcode, offset, length).remoteAddr(remoteAddress + remote).rkey(key));
  }

  /** A request that names no memory of the other end. */
  void post(long id, WrOpcode opcode, int offset, int length) {
    post(request(id, opcode, offset, length).remoteAddr(0).rkey(0));
  }

  void atomic(long id, WrOpcode opcode, int offset, int remote, long compareAdd, long swap) {
    SendWr wr = request(id, opcode, offset, 8).remoteAddr(remoteAddress + remote).rkey(remoteKey);
    post(wr.compareAdd(compareAdd).swap(swap));
  }

  void sendAndInvalidate(long id, int length, int key) {
    post(request(id, WrOpcode.SEND_WITH_INV, 0, length).invalidateRkey(key));
  }

  private SendWr request(long id, WrOpcode opcode, int offset, int length) {
    SendWr wr = new SendWr(1).wrId(id).opcode(opcode).immData(IMM + (int) id);
    wr.flags(SendFlags.SIGNALED | (id % 2 == 0 ? SendFlags.SOLICITED : 0));
    return wr.addSge(mr.lkey(), mr.iova() + offset, length);
  }

  private void post(SendWr wr) {
    if (ah != null) {
      wr.ah(ah).remoteQpn(remoteQpn).remoteQkey(QKEY);
    }
    check(qp.postSend(wr));
  }

  private static void check(int rc) {
    if (rc != 0) {
      throw new IllegalStateException("posting failed: " + rc);
    }
  }

  void completions(int count) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    int left = count;
    while (left > 0 && System.nanoTime() < end) {
      if (cq.poll(one, 1) == 1) {
        completion(one[0]);
        left--;
      } else {
        Thread.onSpinWait();
      }
    }
    if (left > 0) {
      seen.append("missing ").append(left).append('\n');
    }
  }

  private void completion(WorkCompletion wc) {
    seen.append("wc ").append(wc.wrId()).append(' ').append(wc.status().value());
    if (wc.status() == WcStatus.SUCCESS && wc.opcode().isReceive()) {
      seen.append(' ').append(wc.byteLen());
      if ((wc.wcFlags() & WcFlags.WITH_IMM) != 0) {
        seen.append(" #").append(HexFormat.of().toHexDigits(wc.immData()));
      }
    }
    seen.append('\n');
  }

  /** Tells what the memory holds, or the CRC when it is much. */
  void data(int offset, int length) {
    byte[] bytes = mr.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    if (length > PAGE) {
      CRC32 crc = new CRC32();
      crc.update(bytes);
      bytes = ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
    }
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

package ib.bench;

import ib.core.verbs.Access;
import ib.core.verbs.AhAttr;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.Mtu;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import java.lang.foreign.MemorySegment;

/**
 * One end of an RC connection: a queue pair, its two completion queues and one registered buffer.
 */
final class End implements AutoCloseable {
  static final int DEPTH = 256;
  static final int BATCH = 16;

  /** Bytes of a page, as far as loads and stores are compared by it. */
  static final int PAGE = 4096;

  private static final int EVERYTHING =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

  final IbDevice device;
  final ProtectionDomain pd;
  final CompletionQueue sendCq;
  final CompletionQueue recvCq;
  final MemoryRegion memory;
  final QueuePair qp;
  final int lkey;
  final long address;

  private final boolean owner; // of everything but the queue pair

  End(IbDevice device, long bytes) {
    this(device, bytes, -1);
  }

  /**
   * Makes an end whose data begins at a place of a page. Where a copy goes to a little behind where
   * it comes from, seen within a page, the processor takes its loads for those of bytes that it has
   * just stored: 1.2 to 2 x the time, and which case has it depends on what was allocated before.
   *
   * @param device its device
   * @param bytes length of its memory
   * @param inPage where its data begins in a page; -1 for where it happens to
   */
  End(IbDevice device, long bytes, int inPage) {
    this.device = device;
    owner = true;
    pd = device.allocPd();
    sendCq = device.createCq(new CqInit(2 * DEPTH));
    recvCq = device.createCq(new CqInit(2 * DEPTH));
    memory = pd.allocMemory(inPage < 0 ? bytes : bytes + PAGE, 64, EVERYTHING);
    qp = queuePair(DEPTH);
    lkey = memory.lkey();
    address = memory.iova() + (inPage < 0 ? 0 : skipped(memory.segment(), inPage));
  }

  /** Bytes from the beginning of memory to a place of a page. */
  static long skipped(MemorySegment memory, int inPage) {
    return Math.floorMod(inPage - memory.address(), PAGE);
  }

  private End(End first, int depth) {
    device = first.device;
    owner = false;
    pd = first.pd;
    sendCq = first.sendCq;
    recvCq = first.recvCq;
    memory = first.memory;
    qp = queuePair(depth);
    lkey = first.lkey;
    address = first.address;
  }

  private QueuePair queuePair(int depth) {
    QpCap cap = new QpCap(depth, depth, 1, 1, 64);
    return pd.createQp(new QpInit(QpType.RC, sendCq, cap).withRecvCq(recvCq));
  }

  /** One more queue pair on the same completion queues and memory. */
  End sibling(int depth) {
    return new End(this, depth);
  }

  static void connect(End a, End b) {
    a.connectTo(b);
    b.connectTo(a);
  }

  private void connectTo(End peer) {
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(0).port(1).accessFlags(EVERYTHING));
    qp.modify(
        new QpAttr()
            .state(QpState.RTR)
            .av(AhAttr.ofLid(1, peer.device.port(1).lid(), 0))
            .pathMtu(Mtu.MTU_4096)
            .destQpn(peer.qp.qpn())
            .rqPsn(0)
            .maxDestRdAtomic(16)
            .minRnrTimer(1));
    qp.modify(
        new QpAttr()
            .state(QpState.RTS)
            .timeout(14)
            .retryCount(7)
            .rnrRetry(7)
            .sqPsn(0)
            .maxRdAtomic(16));
  }

  void receive(long offset, int bytes) {
    check(qp.postReceive(1, lkey, address + offset, bytes));
  }

  void send(int bytes, int flags) {
    qp.wrStart();
    qp.wrId(2).wrFlags(flags);
    qp.wrSend();
    qp.wrSetSge(lkey, address, bytes);
    check(qp.wrComplete());
  }

  void write(End peer, int bytes, int flags) {
    qp.wrStart();
    qp.wrId(3).wrFlags(flags);
    qp.wrRdmaWrite(peer.memory.rkey(), peer.address);
    qp.wrSetSge(lkey, address, bytes);
    check(qp.wrComplete());
  }

  /** {@value #BATCH} of the same, the last one signaled. */
  void writeBatch(End peer, int bytes) {
    qp.wrStart();
    for (int i = 1; i <= BATCH; i++) {
      qp.wrId(i).wrFlags(i == BATCH ? SendFlags.SIGNALED : 0);
      qp.wrRdmaWrite(peer.memory.rkey(), peer.address);
      qp.wrSetSge(lkey, address, bytes);
    }
    check(qp.wrComplete());
  }

  /** {@value #BATCH} sends, the last one signaled. */
  void sendBatch(int bytes) {
    qp.wrStart();
    for (int i = 1; i <= BATCH; i++) {
      qp.wrId(i).wrFlags(i == BATCH ? SendFlags.SIGNALED : 0);
      qp.wrSend();
      qp.wrSetSge(lkey, address, bytes);
    }
    check(qp.wrComplete());
  }

  /** Takes what is there; returns how many. */
  static int reap(CompletionQueue cq) {
    int n = 0;
    if (cq.startPoll()) {
      do {
        if (cq.status() != WcStatus.SUCCESS) {
          throw new IllegalStateException("completed with " + cq.status());
        }
        n++;
      } while (cq.nextPoll());
      cq.endPoll();
    }
    return n;
  }

  static void reapOne(CompletionQueue cq) {
    if (reap(cq) == 0) {
      Patience patience = new Patience("a completion");
      while (reap(cq) == 0) {
        patience.spin();
      }
    }
  }

  private static void check(int status) {
    if (status != PostStatus.OK) {
      throw new IllegalStateException("post returned " + status);
    }
  }

  @Override
  public void close() {
    qp.close();
    if (!owner) {
      return;
    }
    sendCq.close();
    recvCq.close();
    memory.close();
    pd.close();
  }
}

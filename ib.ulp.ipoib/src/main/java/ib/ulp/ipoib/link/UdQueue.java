package ib.ulp.ipoib.link;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbObject;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcFlags;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WellKnown;
import ib.core.verbs.WorkCompletion;
import ib.ulp.ipoib.wire.Encapsulation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/** The queue pair of the datagram service with its buffers (I2, W3). */
final class UdQueue implements AutoCloseable {
  /** Who takes what came. */
  interface Receiver {
    /** A datagram; the first 40 bytes at the place are the GRH, if the completion says so. */
    void datagram(MemorySegment memory, long at, WorkCompletion wc);

    /** A receive failed. */
    void receiveError();

    /** A send is done. */
    void sent(int bytes, boolean good);
  }

  private static final int BATCH = 64;
  private static final int ALIGNMENT = 4096;

  private final int port;
  private final int sendSize;
  private final int receiveSize;
  private final int sendCount;
  private final int receiveCount;
  private final Deque<IbObject> made = new ArrayDeque<>();
  private final ProtectionDomain pd;
  private final CompletionQueue sendCq;
  private final CompletionQueue receiveCq;
  private final QueuePair qp;
  private final MemoryRegion sendRegion;
  private final MemoryRegion receiveRegion;
  private final int[] lengths;
  private final WorkCompletion[] completions = new WorkCompletion[BATCH];
  private long posted;
  private long sent;
  private int open; // sends between wrStart and wrComplete
  private int pkeyIndex;

  /** Makes all of it; when something is refused, what was made is gone. */
  UdQueue(IbDevice device, int port, int sends, int receives, int mtu, Runnable wake) {
    this.port = port;
    sendCount = sends;
    receiveCount = receives;
    sendSize = mtu;
    receiveSize = mtu + WellKnown.GRH_BYTES;
    lengths = new int[sends];
    boolean whole = false;
    try {
      pd = keep(device.allocPd());
      sendCq = keep(device.createCq(new CqInit(sends, (cq, context) -> wake.run(), null)));
      receiveCq =
          keep(device.createCq(new CqInit(receives + 1, (cq, context) -> wake.run(), null)));
      sendRegion = keep(pd.allocMemory((long) sends * sendSize, ALIGNMENT, Access.LOCAL_WRITE));
      receiveRegion =
          keep(pd.allocMemory((long) receives * receiveSize, ALIGNMENT, Access.LOCAL_WRITE));
      QpCap cap = new QpCap(sends, receives, 1, 1, 0);
      qp = keep(pd.createQp(new QpInit(QpType.UD, sendCq, cap).withRecvCq(receiveCq)));
      whole = true;
    } finally {
      if (!whole) {
        close();
      }
    }
    for (int i = 0; i < BATCH; i++) {
      completions[i] = new WorkCompletion();
    }
  }

  private <T extends IbObject> T keep(T object) {
    made.push(object);
    return object;
  }

  ProtectionDomain pd() {
    return pd;
  }

  QueuePair qp() {
    return qp;
  }

  int qpn() {
    return qp.qpn();
  }

  int pkeyIndex() {
    return pkeyIndex;
  }

  /** RESET to RTS; the Q_Key comes later, with the broadcast group (I2). */
  void start(int index) {
    pkeyIndex = index;
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(index).port(port).qkey(0));
    for (int i = 0; i < receiveCount; i++) {
      postReceive(i);
    }
    qp.modify(new QpAttr().state(QpState.RTR));
    qp.modify(new QpAttr().state(QpState.RTS).sqPsn(QueuePair.randomPsn()));
  }

  /** Back to RESET, with empty queues; {@link #start} may follow. */
  void stop(Receiver receiver) {
    if (open > 0) {
      flush();
    }
    if (qp.state() != QpState.RESET) {
      qp.drain();
      boolean more = true;
      while (more) { // the flushed ones: a bounded number, all there already
        boolean sends = poll(receiver);
        more = receive(receiver, () -> {}) > 0 || sends;
      }
      qp.modify(new QpAttr().state(QpState.RESET));
    }
    sent = posted;
  }

  void qkey(int value) {
    qp.modify(new QpAttr().qkey(value));
  }

  /** {@return buffers that are free} */
  int room() {
    return sendCount - (int) (posted - sent);
  }

  /**
   * Sends a packet; there is room. It leaves with the next {@link #flush}.
   *
   * @param ah where to
   * @param qpn queue pair there
   * @param qkey of the group, or of the link
   */
  void send(AddressHandle ah, int qpn, int qkey, Outgoing packet) {
    int slot = (int) (posted % sendCount);
    long at = (long) slot * sendSize;
    int length = packet.copyTo(sendRegion.segment(), at);
    post(ah, qpn, qkey, slot, length);
  }

  /** The same for a packet that has waited, with its encapsulation. */
  void send(AddressHandle ah, int qpn, int qkey, byte[] packet) {
    int slot = (int) (posted % sendCount);
    long at = (long) slot * sendSize;
    MemorySegment.copy(MemorySegment.ofArray(packet), 0, sendRegion.segment(), at, packet.length);
    post(ah, qpn, qkey, slot, packet.length);
  }

  private void post(AddressHandle ah, int qpn, int qkey, int slot, int length) {
    if (open == 0) {
      qp.wrStart();
    }
    open++;
    posted++; // accounted first: the completion may come before the post returns (D8)
    lengths[slot] = length - Encapsulation.BYTES;
    qp.wrId(slot).wrFlags(SendFlags.SIGNALED).wrSend();
    qp.wrSetUdAddress(ah, qpn, qkey);
    qp.wrSetSge(sendRegion.lkey(), sendRegion.iova() + (long) slot * sendSize, length);
  }

  /** Rings the doorbell for what was sent. {@return how many packets the queue pair refused} */
  int flush() {
    int batch = open;
    open = 0;
    if (batch == 0 || qp.wrComplete() == PostStatus.OK) {
      return 0;
    }
    posted -= batch;
    return batch;
  }

  /** Takes completions. {@return whether there were any} */
  boolean poll(Receiver receiver) {
    int done = Math.max(0, sendCq.poll(completions, BATCH));
    for (int i = 0; i < done; i++) {
      sent++;
      WcStatus status = completions[i].status();
      receiver.sent(lengths[(int) completions[i].wrId()], status == WcStatus.SUCCESS);
    }
    if (done > 0 && qp.state() == QpState.SQE) {
      // IBA 10.3.1.6: a send that failed stops the send queue of a UD queue pair, and only that
      qp.modify(new QpAttr().curState(QpState.SQE).state(QpState.RTS));
    }
    return done > 0;
  }

  /** Takes datagrams, at most a batch, and gives them back as a whole. {@return how many} */
  int receive(Receiver receiver, Runnable all) {
    int came = Math.max(0, receiveCq.poll(completions, BATCH));
    for (int i = 0; i < came; i++) {
      WorkCompletion wc = completions[i];
      if (wc.status() == WcStatus.SUCCESS) {
        receiver.datagram(receiveRegion.segment(), wc.wrId() * receiveSize, wc);
      } else if (wc.status() != WcStatus.WR_FLUSH_ERR) {
        receiver.receiveError();
      }
    }
    if (came > 0) {
      all.run();
    }
    if (qp.state() == QpState.RTS || qp.state() == QpState.SQE) {
      for (int i = 0; i < came; i++) {
        postReceive((int) completions[i].wrId());
      }
    }
    return came;
  }

  private void postReceive(int slot) {
    qp.postReceive(
        slot, receiveRegion.lkey(), receiveRegion.iova() + (long) slot * receiveSize, receiveSize);
  }

  /** Asks for a wake-up. {@return whether something lies there already} */
  boolean arm() {
    int flags = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
    boolean receives = receiveCq.requestNotify(flags) > 0;
    return sendCq.requestNotify(flags) > 0 || receives;
  }

  static boolean hasGrh(WorkCompletion wc) {
    return (wc.wcFlags() & WcFlags.GRH) != 0;
  }

  /** Destroys all of it; it was stopped, or never started. */
  @Override
  public void close() {
    while (!made.isEmpty()) {
      made.pop().close();
    }
  }
}

package ib.ulp.ipoib.link;

import ib.core.verbs.Access;
import ib.core.verbs.AddressHandle;
import ib.core.verbs.Cap;
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
import ib.core.verbs.QpCreateFlags;
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
import org.jspecify.annotations.Nullable;

/** The datagram queue pair of a link, and its buffers (I2, W3). Used on the loop's thread only. */
final class UdQueue implements AutoCloseable {
  /** Takes received datagrams and completed sends. */
  interface Receiver {
    /**
     * Called for a received datagram. The first 40 bytes at {@code at} are reserved for the GRH,
     * which is there if the completion has the flag GRH.
     */
    void datagram(MemorySegment memory, long at, WorkCompletion wc);

    /** Called for a failed receive. */
    void receiveError();

    /** Called for a completed send, which is several packets if the device has cut it. */
    void sent(int packets, int bytes, boolean good);
  }

  private static final int BATCH = 64;
  private static final int ALIGNMENT = 4096;

  private final int port;
  private final int sendSize;
  private final int receiveSize;
  private final int sendCount;
  private final int receiveCount;
  private final Deque<IbObject> made = new ArrayDeque<>();
  final ProtectionDomain pd;
  private final CompletionQueue sendCq;
  private final CompletionQueue receiveCq;
  final QueuePair qp;
  private final MemoryRegion sendRegion;
  private final MemoryRegion receiveRegion;
  private final int[] lengths;
  private final int[] packets;
  private final HeldBuffers held;
  private final WorkCompletion[] completions = new WorkCompletion[BATCH];
  private final WorkCompletion[] received = new WorkCompletion[BATCH + Frame.MAX_PIECES];
  private final boolean cuts;
  private @Nullable LongBuffers longs; // created at a host's first request
  private boolean closed;
  private int
      kept; // completed receives at the start of received whose datagram is not complete yet
  private long posted;
  private long sent;
  private int open; // sends between wrStart and wrComplete
  private int pkeyIndex;

  /**
   * Creates queues and buffers. If the device refuses one of them, closes the others and throws.
   */
  UdQueue(IbDevice device, int port, int sends, int receives, Runnable wake) {
    this.port = port;
    sendCount = sends;
    receiveCount = receives;
    sendSize = device.port(port).maxMtu().bytes();
    receiveSize = sendSize + WellKnown.GRH_BYTES;
    lengths = new int[sends];
    packets = new int[sends];
    held = new HeldBuffers(sends);
    cuts = device.attrs().has(Cap.UD_TSO);
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
      int flags = cuts ? QpCreateFlags.IPOIB_UD_LSO | QpCreateFlags.COALESCED_RECEIVE : 0;
      QpInit init = new QpInit(QpType.UD, sendCq, cap).withRecvCq(receiveCq);
      qp = keep(pd.createQp(init.withCreateFlags(flags)));
      whole = true;
    } finally {
      if (!whole) {
        close();
      }
    }
    fill(completions);
    fill(received);
  }

  private static void fill(WorkCompletion[] all) {
    for (int i = 0; i < all.length; i++) {
      all[i] = new WorkCompletion();
    }
  }

  /**
   * {@return the long buffers; null before {@link #makeLongs} has created them, and after {@link
   * #close}}
   */
  @Nullable LongBuffers longs() {
    return closed ? null : longs;
  }

  /** Creates the long buffers, if the device can cut long packets. {@return the buffers or null} */
  @Nullable LongBuffers makeLongs() {
    if (longs == null && cuts && !closed) {
      longs = new LongBuffers(pd);
      keep(longs.region);
    }
    return longs();
  }

  private <T extends IbObject> T keep(T object) {
    made.push(object);
    return object;
  }

  int qpn() {
    return qp.qpn();
  }

  int pkeyIndex() {
    return pkeyIndex;
  }

  /**
   * Moves the queue pair from RESET to RTS. The Q_Key is set later, with the broadcast group's
   * (I2).
   */
  void start(int index) {
    pkeyIndex = index;
    qp.modify(new QpAttr().state(QpState.INIT).pkeyIndex(index).port(port).qkey(0));
    for (int i = 0; i < receiveCount; i++) {
      postReceive(i);
    }
    qp.modify(new QpAttr().state(QpState.RTR));
    qp.modify(new QpAttr().state(QpState.RTS).sqPsn(QueuePair.randomPsn()));
  }

  /**
   * Moves the queue pair back to RESET, with empty queues. {@link #start} may follow. Blocks while
   * requests are flushed.
   */
  void stop(Receiver receiver) {
    if (open > 0) {
      flush();
    }
    if (qp.state() != QpState.RESET) {
      qp.drain();
      boolean more = true;
      while (more) { // the flushed requests: a bounded number, all completed already
        boolean sends = poll(receiver);
        more = receive(receiver, () -> {}) > 0 || sends;
      }
      qp.modify(new QpAttr().state(QpState.RESET));
    }
    kept = 0;
    sent = posted;
  }

  void qkey(int value) {
    qp.modify(new QpAttr().qkey(value));
  }

  /** {@return the number of free send buffers} */
  int room() {
    return sendCount - (int) (posted - sent);
  }

  /**
   * Adds a packet to the batch that the next {@link #flush} posts. A send buffer must be free.
   *
   * @param ah address handle of the destination
   * @param qpn queue pair number of the destination
   * @param qkey Q_Key of the group, or of the link
   */
  void send(AddressHandle ah, int qpn, int qkey, Outgoing packet) {
    int slot = (int) (posted % sendCount);
    long at = (long) slot * sendSize;
    int length = packet.copyTo(sendRegion.segment(), at);
    post(ah, qpn, qkey, slot, length);
  }

  /**
   * As {@link #send(AddressHandle, int, int, Outgoing)}, for a packet that has waited, with its
   * encapsulation.
   */
  void send(AddressHandle ah, int qpn, int qkey, byte[] packet) {
    int slot = (int) (posted % sendCount);
    long at = (long) slot * sendSize;
    MemorySegment.copy(MemorySegment.ofArray(packet), 0, sendRegion.segment(), at, packet.length);
    post(ah, qpn, qkey, slot, packet.length);
  }

  private void post(AddressHandle ah, int qpn, int qkey, int slot, int length) {
    begin(slot, 1, length - Encapsulation.BYTES);
    qp.wrId(slot).wrFlags(SendFlags.SIGNALED).wrSend();
    qp.wrSetUdAddress(ah, qpn, qkey);
    qp.wrSetSge(sendRegion.lkey(), sendRegion.iova() + (long) slot * sendSize, length);
  }

  private void begin(int slot, int count, int bytes) {
    if (open == 0) {
      qp.wrStart();
    }
    open++;
    posted++; // counted first: the send may complete before the post returns (D8)
    lengths[slot] = bytes;
    packets[slot] = count;
  }

  /**
   * Adds a packet in a long buffer to the batch; the device cuts it. A send buffer must be free.
   */
  void sendLong(AddressHandle ah, int qpn, int qkey, LongBuffers from, Outgoing packet) {
    int slot = (int) (posted % sendCount);
    long at = packet.at() - Encapsulation.BYTES;
    int header = packet.headLength() + Encapsulation.BYTES;
    int data = packet.length() - packet.headLength();
    int count = (data + packet.mss() - 1) / packet.mss();
    Encapsulation.write(packet.memory(), at, packet.type());
    begin(slot, count, data + count * packet.headLength());
    int buffer = held.claim(from, slot);
    qp.wrId(slot).wrFlags(SendFlags.SIGNALED).wrSendTso(packet.memory(), at, header, packet.mss());
    qp.wrSetUdAddress(ah, qpn, qkey);
    qp.wrSetSge(from.region.lkey(), from.address(buffer) + at + header, data);
  }

  /** Posts the batch of added packets. {@return how many of them the queue pair refused} */
  int flush() {
    int batch = open;
    open = 0;
    if (batch == 0 || qp.wrComplete() == PostStatus.OK) {
      return 0;
    }
    for (int i = 0; i < batch; i++) {
      held.release((int) (--posted % sendCount));
    }
    return batch;
  }

  /** Handles completed sends, at most a batch. {@return whether there were any} */
  boolean poll(Receiver receiver) {
    int done = Math.max(0, sendCq.poll(completions, BATCH));
    for (int i = 0; i < done; i++) {
      sent++;
      WcStatus status = completions[i].status();
      int slot = (int) completions[i].wrId();
      held.release(slot);
      receiver.sent(packets[slot], lengths[slot], status == WcStatus.SUCCESS);
    }
    if (done > 0 && qp.state() == QpState.SQE) {
      // IBA 10.3.1.6: a send that failed stops the send queue of a UD queue pair, and only that
      qp.modify(new QpAttr().curState(QpState.SQE).state(QpState.RTS));
    }
    return done > 0;
  }

  /**
   * Hands received datagrams to the receiver, at most a batch, and posts their buffers again.
   * {@return how many receives have completed}
   */
  int receive(Receiver receiver, Runnable all) {
    int came = Math.max(0, receiveCq.poll(completions, BATCH));
    for (int i = 0; i < came; i++) {
      WorkCompletion wc = received[kept + i];
      received[kept + i] = completions[i];
      completions[i] = wc;
    }
    int there = kept + came;
    int end = there; // end of the last complete datagram
    while (end > 0 && more(received[end - 1])) {
      end--;
    }
    try {
      hand(receiver, all, end);
    } finally { // whatever a receiver throws, the buffers come back
      giveBack(end);
      keep(end, there);
    }
    return came;
  }

  private void hand(Receiver receiver, Runnable all, int end) {
    for (int i = 0; i < end; i++) {
      WorkCompletion wc = received[i];
      if (wc.status() == WcStatus.SUCCESS) {
        receiver.datagram(receiveRegion.segment(), wc.wrId() * receiveSize, wc);
      } else if (wc.status() != WcStatus.WR_FLUSH_ERR) {
        receiver.receiveError();
      }
    }
    if (end > 0) {
      all.run();
    }
  }

  private void giveBack(int end) {
    if (qp.state() == QpState.RTS || qp.state() == QpState.SQE) {
      for (int i = 0; i < end; i++) {
        postReceive((int) received[i].wrId());
      }
    }
  }

  private void keep(int from, int to) {
    kept = to - from;
    for (int i = 0; from > 0 && i < kept; i++) {
      WorkCompletion wc = received[i];
      received[i] = received[from + i];
      received[from + i] = wc;
    }
  }

  static boolean more(WorkCompletion wc) {
    return wc.status() == WcStatus.SUCCESS && (wc.wcFlags() & WcFlags.MORE) != 0;
  }

  private void postReceive(int slot) {
    qp.postReceive(
        slot, receiveRegion.lkey(), receiveRegion.iova() + (long) slot * receiveSize, receiveSize);
  }

  /**
   * Arms both completion queues, which then wake the loop. {@return whether completions are there
   * already}
   */
  boolean arm() {
    int flags = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
    boolean receives = receiveCq.requestNotify(flags) > 0;
    return sendCq.requestNotify(flags) > 0 || receives;
  }

  static boolean hasGrh(WorkCompletion wc) {
    return (wc.wcFlags() & WcFlags.GRH) != 0;
  }

  /**
   * Destroys queue pair, queues and buffers; call {@link #stop} before if the queue pair was
   * started.
   */
  @Override
  public void close() {
    closed = true;
    while (!made.isEmpty()) {
      made.pop().close();
    }
  }
}

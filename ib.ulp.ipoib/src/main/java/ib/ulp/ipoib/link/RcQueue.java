package ib.ulp.ipoib.link;

import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventHandler;
import ib.core.verbs.IbObject;
import ib.core.verbs.MemoryRegion;
import ib.core.verbs.NotifyFlags;
import ib.core.verbs.PostStatus;
import ib.core.verbs.ProtectionDomain;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SharedReceiveQueue;
import ib.core.verbs.SrqAttr;
import ib.core.verbs.SrqInit;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WorkCompletion;
import ib.ulp.ipoib.cm.Connection;
import ib.ulp.ipoib.loop.Loop;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Encapsulation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The queue pairs of connected mode and their buffers. All connections share one receive queue and
 * the send buffers (C2). Each packet is one message. Used on the loop's thread only.
 */
final class RcQueue implements AutoCloseable {
  /** Takes received packets and completed sends; called by {@link #poll}. */
  interface Receiver {
    /** Called for a received packet, with its encapsulation. */
    void packet(Connection from, MemorySegment memory, long at, int length);

    /** Called for a completed send. After a failed send the queue pair is in the error state. */
    void sent(Connection to, int bytes, WcStatus status);
  }

  private static final int BATCH = 32;
  private static final int ALIGNMENT = 4096;
  private static final long DRAIN_NS = 5_000_000_000L; // 1.5: the longest wait for the last receive
  private static final long STOP_NS = 500_000_000L;
  private static final long PAUSE_NS = 20_000;
  private static final int SIZE = Connected.LINUX_RECEIVE_MTU + 12; // a multiple of 16

  final int port;
  final int pkeyIndex;
  private final Loop loop;
  private final Deque<IbObject> made = new ArrayDeque<>();
  private final ProtectionDomain pd;
  private final CompletionQueue sendCq;
  private final CompletionQueue receiveCq;
  private final SharedReceiveQueue srq;
  private final MemoryRegion sendRegion;
  private final MemoryRegion receiveRegion;
  private final int sendCount;
  private final int receiveCount;
  private final int[] free;
  private int freeCount;
  private final int[] lengths;
  private final RcPair[] users;
  private final HeldBuffers held;
  private final Map<Integer, RcPair> ends = new HashMap<>(); // by queue pair number
  private final Deque<RcPair> closing = new ArrayDeque<>();
  private final WorkCompletion[] completions = new WorkCompletion[BATCH]; // of sends
  private final WorkCompletion[] received = new WorkCompletion[BATCH];

  /** Creates queues and buffers. If the device refuses one, closes the others and throws. */
  RcQueue(ProtectionDomain pd, int port, int pkeyIndex, int sends, int receives, Loop loop) {
    this.pd = pd;
    this.port = port;
    this.pkeyIndex = pkeyIndex;
    this.loop = loop;
    sendCount = sends;
    receiveCount = receives;
    free = new int[sends];
    lengths = new int[sends];
    users = new RcPair[sends];
    held = new HeldBuffers(sends);
    boolean whole = false;
    try {
      sendCq = keep(pd.device().createCq(new CqInit(sends, (cq, context) -> loop.wake(), null)));
      receiveCq =
          keep(pd.device().createCq(new CqInit(receives + 1, (cq, context) -> loop.wake(), null)));
      srq = keep(pd.createSrq(new SrqInit(new SrqAttr(receives, 1, 0), null, null)));
      sendRegion = keep(pd.allocMemory((long) sends * SIZE, ALIGNMENT, Access.LOCAL_WRITE));
      receiveRegion = keep(pd.allocMemory((long) receives * SIZE, ALIGNMENT, Access.LOCAL_WRITE));
      whole = true;
    } finally {
      if (!whole) {
        close();
      }
    }
    for (int i = 0; i < sends; i++) {
      free[freeCount++] = i;
    }
    for (int i = 0; i < BATCH; i++) {
      completions[i] = new WorkCompletion();
      received[i] = new WorkCompletion();
    }
    for (int i = 0; i < receiveCount; i++) {
      postReceive(i);
    }
  }

  private <T extends IbObject> T keep(T object) {
    made.push(object);
    return object;
  }

  private void postReceive(long slot) {
    srq.postReceive(
        slot,
        receiveRegion.lkey(),
        receiveRegion.iova() + slot * SIZE,
        Connected.LINUX_RECEIVE_MTU);
  }

  /** Creates the queue pair of a connection. */
  RcPair open(Connection connection) {
    RcPair end = new RcPair(this, connection);
    ends.put(end.qpn(), end);
    return end;
  }

  QueuePair createQp(EventHandler handler) {
    QpCap cap = new QpCap(sendCount, 0, 1, 0, 0);
    return pd.createQp(
        new QpInit(QpType.RC, sendCq, cap)
            .withRecvCq(receiveCq)
            .withSrq(srq)
            .withEventHandler(handler, null));
  }

  /** Wakes the loop; any thread may call. */
  void wake() {
    loop.wake();
  }

  /** Destroys a queue pair in the error state when its last receive has completed (C5). */
  void closing(RcPair end) {
    end.closedNs = loop.now();
    closing.add(end);
    loop.wake();
  }

  void destroy(RcPair end) {
    ends.remove(end.qpn());
    end.qp.close();
  }

  /** {@return the number of queue pairs whose last receive is not completed} */
  int closing() {
    return closing.size();
  }

  /** {@return the number of free send buffers} */
  int room() {
    return freeCount;
  }

  /** Sends a packet; a send buffer must be free. {@return whether the queue pair accepted it} */
  boolean send(Connection to, Outgoing packet) {
    int slot = free[freeCount - 1];
    return copied(to, slot, packet.copyTo(sendRegion.segment(), (long) slot * SIZE));
  }

  /** As {@link #send(Connection, Outgoing)}, without a copy, for a packet in a long buffer. */
  boolean send(Connection to, LongBuffers from, Outgoing packet) {
    int slot = free[freeCount - 1];
    long at = packet.at() - Encapsulation.BYTES;
    Encapsulation.write(packet.memory(), at, packet.type(), packet.mss());
    int buffer = held.claim(from, slot);
    int length = packet.length() + Encapsulation.BYTES;
    boolean taken = post(to, slot, from.region.lkey(), from.address(buffer) + at, length);
    if (!taken) {
      held.release(slot);
    }
    return taken;
  }

  /** As {@link #send(Connection, Outgoing)}, for a waiting packet with its encapsulation. */
  boolean send(Connection to, byte[] packet) {
    int slot = free[freeCount - 1];
    MemorySegment.copy(
        MemorySegment.ofArray(packet), 0, sendRegion.segment(), (long) slot * SIZE, packet.length);
    return copied(to, slot, packet.length);
  }

  private boolean copied(Connection to, int slot, int length) {
    return post(to, slot, sendRegion.lkey(), sendRegion.iova() + (long) slot * SIZE, length);
  }

  private boolean post(Connection to, int slot, int lkey, long address, int length) {
    if (!(to.end() instanceof RcPair end)) {
      return false;
    }
    freeCount--; // counted first: the send may complete before the post returns (D8)
    end.sends++;
    users[slot] = end;
    lengths[slot] = length - Encapsulation.BYTES;
    QueuePair qp = end.qp;
    qp.wrStart();
    qp.wrId(slot).wrFlags(SendFlags.SIGNALED).wrSend();
    qp.wrSetSge(lkey, address, length);
    if (qp.wrComplete() == PostStatus.OK) {
      return true;
    }
    giveBack(slot, end);
    return false;
  }

  private void giveBack(int slot, RcPair end) {
    free[freeCount++] = slot;
    end.sends--;
  }

  /** Handles at most a batch of sends and of receives. {@return whether there were any} */
  boolean poll(Receiver receiver) {
    for (RcPair end : closing) {
      // read before the queues are polled: the polls then return all completions
      end.last |= end.lastReached;
    }
    boolean sent = pollSends(receiver);
    int came = Math.max(0, receiveCq.poll(received, BATCH));
    try {
      hand(receiver, came);
    } finally { // whatever a receiver throws, the buffers come back
      for (int i = 0; i < came; i++) {
        postReceive(received[i].wrId());
      }
    }
    boolean any = sent || came > 0;
    if (!any && !closing.isEmpty()) {
      bury();
    }
    return any;
  }

  /** Takes completions of sends alone, also while packets are handed on. */
  boolean pollSends(Receiver receiver) {
    int done = Math.max(0, sendCq.poll(completions, BATCH));
    int next = 0;
    try {
      while (next < done) {
        WorkCompletion wc = completions[next++];
        int slot = takeBack(wc);
        receiver.sent(users[slot].connection, lengths[slot], wc.status());
      }
    } finally { // whatever a receiver throws, the buffers come back
      while (next < done) {
        takeBack(completions[next++]);
      }
    }
    return done > 0;
  }

  private int takeBack(WorkCompletion wc) {
    int slot = (int) wc.wrId();
    giveBack(slot, users[slot]);
    held.release(slot);
    return slot;
  }

  private void hand(Receiver receiver, int came) {
    for (int i = 0; i < came; i++) {
      WorkCompletion wc = received[i];
      RcPair end = ends.get(wc.qpn());
      if (wc.status() == WcStatus.SUCCESS && end != null) {
        receiver.packet(end.connection, receiveRegion.segment(), wc.wrId() * SIZE, wc.byteLen());
      }
    }
  }

  /**
   * C5: destroys closing queue pairs whose last receive was reached before the queues were found
   * empty, or that are late.
   */
  private void bury() {
    for (Iterator<RcPair> all = closing.iterator(); all.hasNext(); ) {
      RcPair end = all.next();
      boolean late = loop.now() - end.closedNs > DRAIN_NS;
      if (late || end.last && end.sends == 0) {
        all.remove();
        destroy(end);
      }
    }
  }

  /** Arms both completion queues. {@return whether completions are there already} */
  boolean arm() {
    int flags = NotifyFlags.NEXT_COMP | NotifyFlags.REPORT_MISSED_EVENTS;
    boolean receives = receiveCq.requestNotify(flags) > 0;
    boolean sends = sendCq.requestNotify(flags) > 0;
    return receives || sends;
  }

  /** Polls until all closing queue pairs are destroyed. Blocks, at most 0.5 s. */
  void drain(Receiver receiver) {
    long start = System.nanoTime();
    while (!closing.isEmpty() && System.nanoTime() - start < STOP_NS) {
      if (!poll(receiver)) {
        LockSupport.parkNanos(PAUSE_NS);
      }
    }
  }

  /** Destroys queue pairs, queues and buffers. */
  @Override
  public void close() {
    closing.clear();
    for (Object end : ends.values().toArray()) {
      destroy((RcPair) end);
    }
    while (!made.isEmpty()) {
      made.pop().close();
    }
  }
}

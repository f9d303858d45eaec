package ib.cm.stream;

import ib.core.verbs.Access;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
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
import ib.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The queue pair of a stream and its memory: the list and the ring, which the peer writes, and the
 * send buffer, which it does not see. Written before the connection is made; the lock of {@link
 * StreamEnd} guards the end. Tests replace some of the methods.
 */
class StreamQueue {
  /** Messages without credits (RS-7). */
  static final int CONTROLS = 4;

  /** Request numbers of receives and of messages without data; those of data are their length. */
  static final long RECEIVE = -1;

  static final long CONTROL = -2;

  private static final int LIST = StreamTerms.ENTRIES * Flow.ENTRY;
  private static final int INLINE = 24; // the longest message that is not in the send buffer
  private static final int PAGE = 4096;

  private final StreamOptions options;
  private final int ringAt; // in the open memory, behind list and table of regions
  private @Nullable Regions regions;
  private @Nullable ProtectionDomain pd;
  private @Nullable CompletionQueue cq;
  private @Nullable MemoryRegion open;
  private @Nullable Rings rings;
  private @Nullable MemoryRegion own; // an entry for the peer's list, then the send buffer
  private @Nullable QueuePair qp;

  StreamQueue(StreamOptions options) {
    this.options = options;
    ringAt = LIST + Regions.ENTRY * options.regions();
  }

  /**
   * Makes all of it.
   *
   * @param device the program's handle
   * @param completed called when the completion queue was armed, in any context
   * @param dataCame called when the first data have come before the connection was ready
   */
  QueuePair make(IbDevice device, Runnable completed, Runnable dataCame) {
    int sends = options.sendQueue() + CONTROLS;
    try {
      ProtectionDomain domain = device.allocPd();
      pd = domain;
      CompletionQueue queue =
          device.createCq(new CqInit(sends + receives(), (q, context) -> completed.run(), null));
      cq = queue;
      int rights = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
      MemoryRegion region =
          domain.allocMemory((long) ringAt + options.receiveBuffer(), PAGE, rights);
      open = region;
      rings = new Rings(domain, region, ringAt, options.maxReceiveBuffer());
      own = domain.allocMemory((long) INLINE + options.sendBuffer(), PAGE, Access.LOCAL_WRITE);
      QpInit init =
          new QpInit(QpType.RC, queue, new QpCap(sends, receives(), 1, 1, INLINE))
              .withEventHandler(
                  (event, context) -> {
                    if (event.type() == EventType.COMM_EST) {
                      dataCame.run();
                    }
                  },
                  null);
      QueuePair made = domain.createQp(init);
      qp = made;
      return made;
    } catch (Throwable e) { // of code that is not ours
      close();
      throw e;
    }
  }

  /** {@return receives: the peer's credits, and its messages without credits twice} */
  private int receives() {
    return options.receiveQueue() + 2 * CONTROLS;
  }

  /** Posts all receives. */
  void receive(QueuePair made) {
    for (int i = 0; i < receives(); i++) {
      int status = made.postReceive(RECEIVE, 0, 0, 0);
      if (status != PostStatus.OK) {
        throw new IllegalStateException(PostStatus.text(status, made));
      }
    }
  }

  /** Posts a receive in place of one; {@return its status} */
  int receiveAgain() {
    return given(qp).postReceive(RECEIVE, 0, 0, 0);
  }

  StreamTerms terms() {
    MemoryRegion ring = given(open);
    return new StreamTerms(
        ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN,
        options.receiveQueue(),
        ring.iova(),
        ring.rkey(),
        ring.iova() + ringAt,
        ring.rkey(),
        options.receiveBuffer() / 2,
        options.regions());
  }

  Flow flow(StreamTerms peer) {
    MemorySegment list = given(open).segment();
    return new Flow(list, options.receiveBuffer(), options.receiveQueue(), peer);
  }

  int poll(WorkCompletion[] into) {
    return given(cq).poll(into, into.length);
  }

  void arm() {
    given(cq).requestNotify(NotifyFlags.NEXT_COMP);
  }

  /** Takes bytes out of the ring. */
  void take(ByteBuffer into, Flow flow, int n) {
    given(rings).take(into, flow, n);
  }

  /** Puts bytes into the send buffer, and sends them; {@return the status} */
  int send(ByteBuffer from, int place, int n, Flow flow) {
    MemoryRegion buffer = given(own);
    long at = put(from, place, n);
    QueuePair pair = given(qp);
    pair.wrStart().wrId(n).wrFlags(SendFlags.SIGNALED);
    pair.wrRdmaWriteImm(flow.key(), flow.address(), Immediate.DATA.of(n));
    return pair.wrSetSge(buffer.lkey(), buffer.iova() + at, n).wrComplete();
  }

  /** Puts bytes into the send buffer; {@return their place in the memory} */
  private long put(ByteBuffer from, int place, int n) {
    long at = INLINE + (long) place;
    MemorySegment bytes = MemorySegment.ofBuffer(from);
    MemorySegment.copy(
        bytes, ValueLayout.JAVA_BYTE, 0, given(own).segment(), ValueLayout.JAVA_BYTE, at, n);
    from.position(from.position() + n);
    return at;
  }

  /** Puts bytes into the send buffer, and writes them to the peer's memory; {@return the status} */
  int write(ByteBuffer from, int place, int n, int key, long address) {
    MemoryRegion buffer = given(own);
    long at = put(from, place, n);
    QueuePair pair = given(qp);
    pair.wrStart().wrId(n).wrFlags(SendFlags.SIGNALED);
    return pair.wrRdmaWrite(key, address)
        .wrSetSge(buffer.lkey(), buffer.iova() + at, n)
        .wrComplete();
  }

  /** Registers memory that the peer may write. */
  MemoryRegion register(MemorySegment memory) {
    return given(pd).registerMemory(memory, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  }

  /** Tells the peer of a region, which costs a credit; {@return the status} */
  int offer(int index, long offset, MemoryRegion region, StreamTerms peer) {
    MemorySegment entry = given(own).segment().asSlice(0, Regions.ENTRY);
    Regions.write(entry, peer.bigEndian(), offset, region);
    long at = peer.listAddress() + LIST + (long) Regions.ENTRY * index;
    QueuePair pair = given(qp);
    pair.wrStart().wrId(0).wrFlags(SendFlags.SIGNALED);
    pair.wrRdmaWriteImm(peer.listKey(), at, Immediate.REGION.of(index));
    return pair.wrSetInline(entry, 0, Regions.ENTRY).wrComplete();
  }

  /** {@return the memory for direct writes} */
  Regions regions(StreamTerms peer) {
    int bytes = Regions.ENTRY * options.regions();
    Regions made = new Regions(given(open).segment().asSlice(LIST, bytes), peer.regions());
    regions = made;
    return made;
  }

  /** Sends credits, with the free half of the ring if there is one; {@return the status} */
  int credit(Flow flow, StreamTerms peer) {
    int immediate = Immediate.CREDITS.of(flow.credits());
    if (!flow.buffer()) {
      return say(immediate, peer);
    }
    Rings ring = given(rings);
    ring.grow(flow);
    MemorySegment entry = given(own).segment().asSlice(0, Flow.ENTRY);
    flow.write(entry, ring.address(), ring.key());
    QueuePair pair = given(qp);
    pair.wrStart().wrId(CONTROL).wrFlags(SendFlags.SIGNALED);
    pair.wrRdmaWriteImm(peer.listKey(), flow.entry(), immediate);
    return pair.wrSetInline(entry, 0, Flow.ENTRY).wrComplete();
  }

  /** Sends nothing to nowhere, which the peer's queue pair acknowledges; {@return the status} */
  int probe() {
    QueuePair pair = given(qp);
    pair.wrStart().wrId(CONTROL).wrFlags(SendFlags.SIGNALED);
    return pair.wrRdmaWrite(0, 0).wrComplete(); // RS-8
  }

  /** Sends an immediate without data; {@return the status} */
  int say(int immediate, StreamTerms peer) {
    QueuePair pair = given(qp);
    pair.wrStart().wrId(CONTROL).wrFlags(SendFlags.SIGNALED);
    return pair.wrRdmaWriteImm(peer.listKey(), peer.listAddress(), immediate).wrComplete();
  }

  /** Frees all but the queue pair. */
  void close() {
    if (regions != null) {
      regions.close();
    }
    if (rings != null) {
      rings.close();
      rings = null;
    }
    for (@Nullable IbObject each : new IbObject[] {own, open, cq, pd}) {
      if (each != null) {
        each.close();
      }
    }
    own = null;
    open = null;
    cq = null;
    pd = null;
  }

  private static <T> T given(@Nullable T made) {
    if (made == null) {
      throw new IllegalStateException("not connected");
    }
    return made;
  }
}

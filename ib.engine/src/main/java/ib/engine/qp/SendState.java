package ib.engine.qp;

import ib.core.verbs.WcStatus;
import ib.core.wire.Psn;
import ib.engine.mr.LastKeys;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWords;
import org.jspecify.annotations.Nullable;

/**
 * Where the packet way stands with the requests of one send queue: the fields of {@link
 * ib.engine.packet.send.Requester}, and those that {@code AckRequests}, {@code LocalWork} and
 * {@code LargeSend} keep for it between two calls. One object, so that a queue pair is small. Only
 * the thread that holds the queue pair's claim may touch them.
 */
public abstract class SendState extends SendWindow {
  private static final long[] NONE = {};

  // ---- the requests on their way, four words each: PSNs, length, done, last packet ----
  private static final long IN_PARTS = 1 << 24;
  private static final int FLIGHT = 2; // words are 1 << FLIGHT
  private static final int LENGTH = 1;
  private static final int DONE = 2;
  private static final int PACKET_LAST = 3;
  private long[] flight = NONE; // made with the first request that goes as packets

  public final QpCore qp;

  // ---- Requester ----

  /** The ring, of this life of the queue pair. */
  public SendRing ring;

  /** The requests in the ring. */
  public SendWords slots;

  /** The request that is being sent or is next. */
  public long cursor;

  /** Requests are known to be published up to here. */
  public long batchEnd;

  /** Index after the newest request that has sequence numbers. */
  public long started;

  /** The first sequence number that no request has. */
  public int psnNext;

  /** The first sequence number that was never sent. */
  public int psnSent;

  /** How many requests with an answer of their own are under way; a read in parts is several. */
  public int readsOut;

  /** The first sequence number of the read at the cursor that is not asked for. */
  public int asked;

  /** The index of a request with a local error: nothing is sent from there on. */
  public long haltIndex = Long.MAX_VALUE;

  /** The local error. */
  public WcStatus haltStatus = WcStatus.SUCCESS;

  /** Whether it waits for a free packet. */
  public boolean wantsPacket;

  /** Whether SQ_DRAINED is to be raised. */
  public boolean drainWanted;

  // ---- Completer ----

  /** The oldest request. */
  public long head;

  /** The oldest sequence number that is not acknowledged. */
  public int una;

  public int retryLeft;
  public int rnrLeft;

  /** Whether the peer has asked to wait. */
  public boolean rnrWaiting;

  /** Counts up with each answer. */
  public long progress;

  /** The progress when the timer was started. */
  public long progressSeen;

  /** Where a missing answer was asked for again. */
  public int rewoundFor = -1;

  /** Made when it is first started. */
  public @Nullable QpTimer ackTimer;

  /** Made when it is first started, too. */
  public @Nullable QpTimer rnrTimer;

  /** Made when the first atomic is answered. */
  public @Nullable AtomicResult original;

  // ---- AckRequests ----

  /** All sequence numbers before this one will be acknowledged, as far as is known. */
  public int ackEnd;

  /** How many requests in a row did not ask for an acknowledgement. */
  public int silent;

  // ---- LocalWork ----

  /** Whether the local request in progress has run, but is not complete yet. */
  public boolean localExecuted;

  /** Whether other queue pairs still copy through what the local request has taken away. */
  public boolean localUnsettled;

  // ---- LargeSend ----

  /** Whether the large send in progress leaves as one packet. */
  public boolean together;

  /** Makes that of a queue pair, with so many packets under way at most. */
  public SendState(QpCore qp, SendRing ring, int windowPackets) {
    super(windowPackets);
    this.qp = qp;
    this.ring = ring;
    this.slots = ring.slots();
  }

  /** {@return the oldest request} */
  public final long head() {
    return head;
  }

  /** {@return the oldest sequence number that is not acknowledged; any thread, roughly} */
  public final int una() {
    return qp.directAhead ? qp.directPsn : una;
  }

  /** {@return the first sequence number that was never sent; any thread, roughly} */
  public final int psnSent() {
    return qp.directAhead ? qp.directPsn : psnSent;
  }

  /** {@return whether the peer has acknowledged something, or asked to wait} */
  public final boolean isHeard() {
    return progress > 0;
  }

  public final boolean rnrWaiting() {
    return rnrWaiting;
  }

  /** Restarts the ACK timeout: an acknowledgement is requested, and none is outstanding. */
  public final void asked() {
    progressSeen = -1;
  }

  /** {@return whether the request at the index is published, as part of a batch} */
  public final boolean extend(long index) {
    if (index < batchEnd) {
      return true;
    }
    if (!ring.published(index)) {
      return false;
    }
    batchEnd = index + ring.batch(index);
    return true;
  }

  /** Whether all requests that were begun have completed and nothing waits. */
  public final boolean isQuiet() {
    return cursor == started && cursor == head() && haltIndex == Long.MAX_VALUE && !rnrWaiting;
  }

  /** {@return the place of a request in the slots} */
  public final int place(long index) {
    return ring.base(index);
  }

  private int flight(long index) {
    return ring.slot(index) << FLIGHT;
  }

  /** Takes the elements of a request in hand. */
  public final LastKeys elements(long index, LastKeys keys) {
    int b = place(index);
    return slots.elements(b, slots.kind(b), keys);
  }

  /** Makes the words that {@link #number} writes. */
  public final void mayFly() {
    if (flight.length == 0) {
      flight = new long[ring.capacity() << FLIGHT];
    }
  }

  /**
   * Notes the length of a request in bytes, its first sequence number, how many it uses, and
   * whether it is asked for in parts, if it is a read: what the medium shows may change meanwhile.
   */
  public final void number(long index, long length, int psnFirst, int psnCount, boolean inParts) {
    int f = flight(index);
    flight[f] = psnFirst | (inParts ? IN_PARTS : 0) | (long) psnCount << 32;
    flight[f + LENGTH] = length;
    flight[f + DONE] = 0;
  }

  /** {@return the first sequence number of a request} */
  public final int psnFirst(long index) {
    return (int) flight[flight(index)] & Psn.MAX;
  }

  /** {@return whether a read is asked for in parts} */
  public final boolean isInParts(long index) {
    return (flight[flight(index)] & IN_PARTS) != 0;
  }

  /** {@return how many sequence numbers its requests and responses use} */
  public final int psnCount(long index) {
    return (int) (flight[flight(index)] >>> 32);
  }

  /** {@return message length in bytes} */
  public final long length(long index) {
    return flight[flight(index) + LENGTH];
  }

  /** {@return bytes sent; of a read: bytes received} */
  public final long done(long index) {
    return flight[flight(index) + DONE];
  }

  public final void done(long index, long bytes) {
    flight[flight(index) + DONE] = bytes;
  }

  /** {@return sequence number of the last packet of a request in the pool's count} */
  public final long packetLast(long index) {
    return flight[flight(index) + PACKET_LAST];
  }

  public final void packetLast(long index, long packet) {
    flight[flight(index) + PACKET_LAST] = packet;
  }
}

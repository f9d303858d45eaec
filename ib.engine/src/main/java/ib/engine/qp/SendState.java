package ib.engine.qp;

import ib.core.verbs.WcStatus;
import ib.engine.mr.LastKeys;
import ib.engine.ring.SendRing;
import ib.engine.ring.SendWords;

/**
 * Where the packet way stands with the requests of one send queue: the fields of {@link Requester},
 * and those that {@link AckRequests}, {@link LocalWork} and {@link LargeSend} keep for it between
 * two calls. One object, so that a queue pair is small. Only the thread that holds the queue pair's
 * claim may touch them.
 */
abstract class SendState extends SendWindow {
  private static final long[] NONE = {};

  // ---- the requests on their way, four words each: PSNs, length, done, last packet ----
  private static final int FLIGHT = 2; // words are 1 << FLIGHT
  private static final int LENGTH = 1;
  private static final int DONE = 2;
  private static final int PACKET_LAST = 3;
  private long[] flight = NONE; // made with the first request that goes as packets

  // ---- Requester ----

  /** The ring, of this life of the queue pair. */
  SendRing ring;

  /** The requests in the ring. */
  SendWords slots;

  /** The request that is being sent or is next. */
  long cursor;

  /** Requests are known to be published up to here. */
  long batchEnd;

  /** Index after the newest request that has sequence numbers. */
  long started;

  /** The first sequence number that no request has. */
  int psnNext;

  /** The first sequence number that was never sent. */
  int psnSent;

  /** How many requests with an answer of their own are under way. */
  int readsOut;

  /** The index of a request with a local error: nothing is sent from there on. */
  long haltIndex = Long.MAX_VALUE;

  /** The local error. */
  WcStatus haltStatus = WcStatus.SUCCESS;

  /** Whether it waits for a free packet. */
  boolean wantsPacket;

  /** Whether SQ_DRAINED is to be raised. */
  boolean drainWanted;

  // ---- AckRequests ----

  /** All sequence numbers before this one will be acknowledged, as far as is known. */
  int ackEnd;

  /** How many requests in a row did not ask for an acknowledgement. */
  int silent;

  // ---- LocalWork ----

  /** Whether the local request in progress has run, but is not complete yet. */
  boolean localExecuted;

  /** Whether other queue pairs still copy through what the local request has taken away. */
  boolean localUnsettled;

  // ---- LargeSend ----

  /** Whether the large send in progress leaves as one packet. */
  boolean together;

  /** Makes that of a ring, with so many packets under way at most. */
  SendState(SendRing ring, int windowPackets) {
    super(windowPackets);
    this.ring = ring;
    this.slots = ring.slots();
  }

  /** {@return the place of a request in the slots} */
  final int place(long index) {
    return ring.base(index);
  }

  private int flight(long index) {
    return ring.slot(index) << FLIGHT;
  }

  /** Takes the elements of a request in hand. */
  final LastKeys elements(long index, LastKeys keys) {
    int b = place(index);
    return slots.elements(b, slots.kind(b), keys);
  }

  /** Makes the words that {@link #number} writes. */
  final void mayFly() {
    if (flight.length == 0) {
      flight = new long[ring.capacity() << FLIGHT];
    }
  }

  /** Notes the length of a request in bytes, its first sequence number, and how many it uses. */
  final void number(long index, long length, int psnFirst, int psnCount) {
    int f = flight(index);
    flight[f] = psnFirst | (long) psnCount << 32;
    flight[f + LENGTH] = length;
    flight[f + DONE] = 0;
  }

  /** {@return the first sequence number of a request} */
  final int psnFirst(long index) {
    return (int) flight[flight(index)];
  }

  /** {@return how many sequence numbers its requests and responses use} */
  final int psnCount(long index) {
    return (int) (flight[flight(index)] >>> 32);
  }

  /** {@return message length in bytes} */
  final long length(long index) {
    return flight[flight(index) + LENGTH];
  }

  /** {@return bytes sent; of a read: bytes received} */
  final long done(long index) {
    return flight[flight(index) + DONE];
  }

  final void done(long index, long bytes) {
    flight[flight(index) + DONE] = bytes;
  }

  /** {@return sequence number of the last packet of a request in the pool's count} */
  final long packetLast(long index) {
    return flight[flight(index) + PACKET_LAST];
  }

  final void packetLast(long index, long packet) {
    flight[flight(index) + PACKET_LAST] = packet;
  }
}

package ib.cm.stream;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ProtocolException;
import java.nio.ByteOrder;

/**
 * How much each side may send: the peer's buffers and credits for what this side sends, the ring of
 * this side for what the peer sends (RS-2 to RS-6). Sequence numbers have 16 bits. The lock of
 * {@link StreamEnd} guards it.
 */
final class Flow {
  /** Bytes of an entry of a list: address, key, length. */
  static final int ENTRY = 16;

  private static final int MASK = 0xffff;
  private static final int KEY = 8;
  private static final int LENGTH = 12;

  private final MemorySegment list;
  private final int queue;
  private final StreamTerms peer;

  // what this side sends
  private int sequence;
  private int limit;
  private int place;
  private int published;
  private long address;
  private int key;
  private int left;

  // what the peer sends
  private int heard;
  private int granted;
  private int owed; // bytes that were read, and that the peer may not write again yet
  private int owedAt;
  private int allowed; // bytes that the peer may write now
  private int readable;
  private int readAt;
  private int theirPlace = 1;
  private int half; // of the ring whose halves the peer hears of
  private boolean ahead; // the peer has filled half of the ring before it was read
  private int ringBefore; // bytes of the smaller ring before
  private int before; // bytes of that one which the peer has written, or may write: to be read

  /**
   * Begins.
   *
   * @param list this side's list of buffers, which the peer fills
   * @param ring bytes of this side's ring; the peer knows its first half
   * @param queue messages that this side takes
   * @param peer what the peer has said
   */
  Flow(MemorySegment list, int ring, int queue, StreamTerms peer) {
    this.list = list;
    this.half = ring / 2;
    this.queue = queue;
    this.peer = peer;
    limit = peer.credits();
    address = peer.address();
    key = peer.key();
    left = peer.length();
    granted = queue / 2;
    owed = half; // the second half, which is published first of all
    owedAt = half;
    allowed = half;
  }

  // ---- what this side sends ----

  /** {@return how many bytes the next message may have; 0 for none now} */
  int sendable() {
    if (left == 0 && published > 0) {
      published--;
      place ^= 1;
      long at = (long) place * ENTRY;
      address = list.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
      key = list.get(ValueLayout.JAVA_INT_UNALIGNED, at + KEY);
      left = Math.max(0, list.get(ValueLayout.JAVA_INT_UNALIGNED, at + LENGTH));
    }
    return sequence == limit ? 0 : left;
  }

  /** {@return whether the peer takes a message now} */
  boolean open() {
    return sequence != limit;
  }

  /** {@return where the next message goes} */
  long address() {
    return address;
  }

  /** {@return the key of where the next message goes} */
  int key() {
    return key;
  }

  /** A message was sent, of at most {@link #sendable} bytes. */
  void sent(int bytes) {
    sequence = sequence + 1 & MASK;
    address += bytes;
    left -= bytes;
  }

  /**
   * The peer gives credits.
   *
   * @param to sequence number that this side must not reach
   * @param buffer whether the peer has filled the next entry of the list, too
   * @throws ProtocolException when the list is full already
   */
  void credited(int to, boolean buffer) throws ProtocolException {
    limit = to & MASK;
    if (buffer && ++published > StreamTerms.ENTRIES) {
      throw new ProtocolException("the peer has published more buffers than the list has");
    }
  }

  // ---- what the peer sends ----

  /**
   * Data have come.
   *
   * @throws ProtocolException when they are more than the peer may send
   */
  void heard(int bytes) throws ProtocolException {
    if (bytes > allowed) {
      throw new ProtocolException("the peer has sent " + bytes + " bytes and may send " + allowed);
    }
    heard = heard + 1 & MASK;
    allowed -= bytes;
    readable += bytes;
    ahead |= readable >= half;
  }

  /** A message without bytes of the stream has come, which costs a credit as those with bytes. */
  void heardOther() {
    heard = heard + 1 & MASK;
  }

  /** {@return bytes that can be read} */
  int readable() {
    return readable;
  }

  /** {@return the place of the first byte that can be read, in the ring} */
  int readAt() {
    return readAt;
  }

  /** {@return how many bytes can be read in one piece} */
  int piece() {
    int there = before > 0 ? Math.min(before, ringBefore - readAt) : 2 * half - readAt;
    return Math.min(readable, there);
  }

  /** Bytes were read, at most {@link #piece}. */
  void read(int bytes) {
    readable -= bytes;
    if (before == 0) {
      readAt = (readAt + bytes) % (2 * half);
      owed += bytes;
    } else {
      readAt = (readAt + bytes) % ringBefore;
      before -= bytes;
      if (before == 0) { // the peer's entry that was left is free for the larger ring's second half
        readAt = 0;
        owed += half;
      }
    }
  }

  /** {@return whether the next byte to be read is in the smaller ring before} */
  boolean readsBefore() {
    return before > 0;
  }

  /** {@return bytes of the ring whose halves the peer hears of} */
  int ring() {
    return 2 * half;
  }

  /**
   * {@return whether a larger ring may be had now, and the peer needs one} It has filled half of
   * this one before that was read, so it waits for space, or will.
   */
  boolean outgrown() {
    return ahead && owed >= half; // owed only when nothing is left of the ring before
  }

  /**
   * A larger ring is there, whose first half the peer hears of next; this one is {@link #outgrown}.
   * What the peer has written or may write is read from this one still.
   *
   * @param ring bytes of the larger one
   */
  void grow(int ring) {
    ringBefore = 2 * half;
    before = readable + allowed;
    half = ring / 2;
    owed = before == 0 ? ring : half;
    owedAt = 0;
    readAt = before == 0 ? 0 : readAt;
  }

  /** {@return whether the peer has to hear how much it may send} */
  boolean due() {
    return owed >= half || (short) (heard - granted) >= 0;
  }

  /** {@return whether half of the ring is free for the peer, who has to hear its address} */
  boolean buffer() {
    return owed >= half;
  }

  /** {@return the sequence number that the peer must not reach} */
  int credits() {
    return heard + queue & MASK;
  }

  /** {@return the address of the peer's entry for the next buffer} */
  long entry() {
    return peer.listAddress() + (long) theirPlace * ENTRY;
  }

  /** Writes the peer's entry, in the peer's byte order, for the free half of a ring. */
  void write(MemorySegment into, long ring, int ringKey) {
    ByteOrder theirs = peer.bigEndian() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    into.set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(theirs), 0, ring + owedAt);
    into.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(theirs), KEY, ringKey);
    into.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(theirs), LENGTH, half);
  }

  /** The credits were sent, and the buffer with them if there is one. */
  void granted() {
    granted = heard + queue / 2 & MASK;
    if (owed >= half) {
      ahead = false;
      owed -= half;
      allowed += half;
      owedAt = (owedAt + half) % (2 * half);
      theirPlace ^= 1;
    }
  }
}

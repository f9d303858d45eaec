package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.SgeList;
import ib.engine.wire.Route;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A send request in the ring. Plain fields: written by the poster before it publishes, then touched
 * only by the thread that holds the queue pair's claim.
 */
public final class SendWqe {
  // ---- by the poster ----

  /** Work request id. */
  public long wrId;

  /** What a managed queue calls, or null. */
  public @Nullable Cqe cqe;

  /** Value of {@code WrOpcode}. */
  public int opcode;

  /** Bytes of data in each segment of a large send; 0 when it is none. */
  public int mss;

  /** The header of a large send; null before the first. */
  public @Nullable LargeHeader header;

  /** Bits of {@code SendFlags}. */
  public int flags;

  /** Immediate data or the key to invalidate. */
  public int immData;

  /** Remote address. */
  public long remoteAddress;

  /** Remote key. */
  public int rkey;

  /** What an atomic adds or puts in. */
  public long swapAdd;

  /** What a compare and swap compares with. */
  public long compare;

  /** What a request on memory is about: a region or a window of the engine, else null. */
  public @Nullable Object memory;

  /** The region that a window is bound to. */
  public @Nullable Object boundRegion;

  /** Rights that a request on memory gives. */
  public int access;

  /** Bytes that a request on memory is about. */
  public long memoryLength;

  /** Where a datagram goes; the address as it was at the post (S5). */
  public @Nullable Route route;

  /** Destination of a datagram. */
  public int remoteQpn;

  /** Q_Key of a datagram. */
  public int remoteQkey;

  /** Index of the P_Key of a datagram of QP1. */
  public int pkeyIndex;

  /** Elements; none when the data is inline. */
  public final SgeList sges;

  /** Inline bytes used, or -1 when the data is not inline. */
  public int inlineLength;

  /** Whether its inline data could not be copied: it completes with a protection error. */
  public boolean broken;

  /** Requests published together by this one's word. */
  public int batch;

  private final int inlineMost;
  private final MemorySegment inlineSegment;

  // ---- for the holder of the queue pair's claim ----

  /** Message length in bytes. */
  public long length;

  /** First sequence number. */
  public int psnFirst;

  /** Sequence numbers of requests and responses together. */
  public int psnCount;

  /** Bytes sent, or of a read received. */
  public long done;

  /** Sequence number of the last packet in the pool's count. */
  public long packetLast;

  /**
   * Makes an empty request.
   *
   * @param sgeMost elements it can hold
   * @param inlineMost bytes of inline data it can hold
   */
  public SendWqe(int sgeMost, int inlineMost) {
    this.sges = new SgeList(sgeMost);
    this.inlineMost = inlineMost;
    this.inlineSegment = MemorySegment.ofArray(new byte[Math.max(Long.BYTES, inlineMost)]);
    this.inlineLength = -1;
  }

  /** {@return the room for inline data, a heap segment} */
  public MemorySegment inlineSegment() {
    return inlineSegment;
  }

  /** {@return bytes of inline data it can hold} */
  public int inlineMost() {
    return inlineMost;
  }

  /**
   * Gives it 8 bytes of inline data, which always fit.
   *
   * @param value the data, in the machine's byte order
   */
  public void value(long value) {
    inlineSegment.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
    inlineLength = Long.BYTES;
  }

  /** Makes it one that fails when its turn comes: the poster could not fill it. */
  public void breakIt() {
    opcode = WrOpcode.SEND.value();
    flags = 0;
    mss = 0;
    cqe = null;
    sges.clear();
    inlineLength = -1;
    broken = true;
  }

  /** {@return bytes of the message} */
  public long messageLength() {
    return inlineLength >= 0 ? inlineLength : sges.length();
  }
}

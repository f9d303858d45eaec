package ib.engine.ring;

import ib.core.verbs.Cqe;
import ib.core.verbs.WrOpcode;
import ib.engine.mr.SgeList;
import ib.engine.wire.Route;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A send request in the ring. Plain fields: the poster writes them before it publishes; afterwards
 * only the claim holder of the queue pair touches them.
 */
public final class SendWqe {
  // ---- written by the poster ----

  /** Work request id. */
  public long wrId;

  /** The callback of a managed queue, or null. */
  public @Nullable Cqe cqe;

  /** Value of {@code WrOpcode}. */
  public int opcode;

  /** Bytes of data in each segment of a large send; 0 if the request is no large send. */
  public int mss;

  /** The header of a large send; null before this slot's first large send. */
  public @Nullable LargeHeader header;

  /** Bits of {@code SendFlags}. */
  public int flags;

  /** Immediate data or the key to invalidate. */
  public int immData;

  /** Remote address. */
  public long remoteAddress;

  /** Remote key. */
  public int rkey;

  /** The operand of an atomic: the value to add, or to swap in. */
  public long swapAdd;

  /** The value that a compare and swap compares with. */
  public long compare;

  /** The engine's region or window of a request on memory, else null. */
  public @Nullable Object memory;

  /** The region that a window is bound to. */
  public @Nullable Object boundRegion;

  /** Access rights that a request on memory grants. */
  public int access;

  /** Length in bytes of a request on memory. */
  public long memoryLength;

  /** The destination of a datagram: the address as it was when the request was posted (S5). */
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

  /**
   * Whether the inline data could not be copied; then the request completes with a protection
   * error.
   */
  public boolean broken;

  /** Number of requests that this slot's word publishes. */
  public int batch;

  private final int inlineMost;
  private final MemorySegment inlineSegment;

  // ---- written by the claim holder ----

  /** Message length in bytes. */
  public long length;

  /** First sequence number. */
  public int psnFirst;

  /** Number of sequence numbers that its requests and responses use. */
  public int psnCount;

  /** Bytes sent; of a read: bytes received. */
  public long done;

  /** Sequence number of the last packet in the pool's count. */
  public long packetLast;

  /**
   * Makes an empty request.
   *
   * @param sgeMost greatest number of elements
   * @param inlineMost greatest length of inline data, in bytes
   */
  public SendWqe(int sgeMost, int inlineMost) {
    this.sges = new SgeList(sgeMost);
    this.inlineMost = inlineMost;
    this.inlineSegment = MemorySegment.ofArray(new byte[Math.max(Long.BYTES, inlineMost)]);
    this.inlineLength = -1;
  }

  /** {@return the memory of the inline data, a heap segment} */
  public MemorySegment inlineSegment() {
    return inlineSegment;
  }

  /** {@return greatest length of inline data, in bytes} */
  public int inlineMost() {
    return inlineMost;
  }

  /**
   * Sets 8 bytes of inline data, which always fit.
   *
   * @param value the data, in the machine's byte order
   */
  public void value(long value) {
    inlineSegment.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
    inlineLength = Long.BYTES;
  }

  /**
   * Gives the request its sequence numbers; for the claim holder.
   *
   * @param bytes message length
   * @param first its first sequence number
   * @param count how many it uses
   */
  public void number(long bytes, int first, int count) {
    length = bytes;
    psnFirst = first;
    psnCount = count;
    done = 0;
  }

  /** Makes the request fail when it is executed; for a poster that could not fill it. */
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

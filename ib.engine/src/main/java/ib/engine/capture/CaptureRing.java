package ib.engine.capture;

import ib.core.spi.PacketCapture.Filter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A ring of packet copies in the order in which packets passed. Any thread claims slots without
 * waiting; one writer thread empties the ring. When the ring is full, a packet is left out and
 * counted (F-42).
 */
final class CaptureRing {
  private static final VarHandle TAIL;

  static {
    try {
      TAIL = MethodHandles.lookup().findVarHandle(CaptureRing.class, "tail", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Filter filter;
  private final CapturedPacket[] slots;
  private final int mask;
  private final AtomicLong dropped = new AtomicLong();
  private volatile long tail;

  CaptureRing(Filter filter, int size) {
    this.filter = filter;
    this.slots = new CapturedPacket[size];
    this.mask = size - 1;
    // automatic: a thread with an old claim may write into its slot after the capture has ended
    MemorySegment memory = Arena.ofAuto().allocate((long) size * CapturedPacket.BYTES, 64);
    for (int i = 0; i < size; i++) {
      slots[i] =
          new CapturedPacket(
              memory.asSlice((long) i * CapturedPacket.BYTES, CapturedPacket.BYTES), i);
    }
  }

  /** {@return the index of a claimed slot; -1 when the ring is full} */
  long claim() {
    for (; ; ) {
      long t = tail;
      CapturedPacket s = slots[(int) t & mask];
      if (s.free(t)) {
        if (TAIL.compareAndSet(this, t, t + 1)) {
          s.claim(t);
          return t;
        }
      } else if (t == tail) {
        dropped.getAndIncrement();
        return -1;
      }
    }
  }

  CapturedPacket slot(long index) {
    return slots[(int) index & mask];
  }

  /** Finishes a slot without a packet, and counts the packet as left out. */
  void abandon(long index) {
    dropped.getAndIncrement();
    slot(index).finish(index);
  }

  long tail() {
    return tail;
  }

  long dropped() {
    return dropped.get();
  }

  /** {@return a slot when it is ready, else null} For the writer thread only. */
  @Nullable CapturedPacket ready(long head) {
    CapturedPacket s = slot(head);
    return s.ready(head) ? s : null;
  }

  /** Frees a slot, which may be claimed again. For the writer thread only. */
  void free(long head) {
    slot(head).release(head + slots.length);
  }
}

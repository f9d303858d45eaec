package ib.engine.capture;

import ib.core.spi.PacketCapture.Filter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Copies of packets in the order in which they passed: claimed by any thread without waiting,
 * emptied by one writer. When it is full a packet is left out and counted (F-42).
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
  private final Slot[] slots;
  private final int mask;
  private final AtomicLong dropped = new AtomicLong();
  private volatile long tail;

  CaptureRing(Filter filter, int size) {
    this.filter = filter;
    this.slots = new Slot[size];
    this.mask = size - 1;
    // automatic: a thread that is late by a whole capture may still write into its slot
    MemorySegment memory = Arena.ofAuto().allocate((long) size * Slot.BYTES, 64);
    for (int i = 0; i < size; i++) {
      slots[i] = new Slot(memory.asSlice((long) i * Slot.BYTES, Slot.BYTES), i);
    }
  }

  /** {@return the index of a claimed slot, or -1: full} */
  long claim() {
    for (; ; ) {
      long t = tail;
      Slot s = slots[(int) t & mask];
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

  Slot slot(long index) {
    return slots[(int) index & mask];
  }

  /** A filled slot has nothing in it. */
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

  /** The writer's: the slot when it is ready, or null. */
  @Nullable Slot ready(long head) {
    Slot s = slot(head);
    return s.ready(head) ? s : null;
  }

  /** The writer's: the slot may be claimed again. */
  void free(long head) {
    slot(head).release(head + slots.length);
  }
}

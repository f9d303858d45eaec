package ib.driver.rxe.udp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The senders of a device: as many threads as there are may send at the same time. */
final class Senders implements AutoCloseable {
  private static final int TRIES = 64;

  private final Arena arena = Arena.ofShared();
  private final AtomicReferenceArray<Sender> free;

  Senders(int count) {
    MemorySegment memory = arena.allocate((long) count * Sender.BYTES, 64);
    MemorySegment messages = arena.allocate((long) count * Message.BYTES, 64);
    free = new AtomicReferenceArray<>(count);
    for (int i = 0; i < count; i++) {
      free.set(
          i,
          new Sender(
              i,
              memory.asSlice((long) i * Sender.BYTES, Sender.BYTES),
              messages.asSlice((long) i * Message.BYTES, Message.BYTES)));
    }
  }

  /** {@return one that is the caller's until given back, or null when too many threads have one} */
  @Nullable Sender claim() {
    int first = (int) (Thread.currentThread().threadId() * 0x9E3779B9L >>> 16);
    for (int i = 0; i < TRIES; i++) {
      int at = Math.floorMod(first + i, free.length());
      Sender s = free.get(at);
      if (s != null && free.compareAndSet(at, s, null)) {
        return s;
      }
    }
    return null;
  }

  void giveBack(Sender sender) {
    free.set(sender.index, sender);
  }

  /** Waits until whoever was sending when this was called has finished: a moment each. */
  void quiesce() {
    for (int i = 0; i < free.length(); i++) {
      while (free.get(i) == null) {
        Thread.onSpinWait();
      }
    }
  }

  /** The engine has been shut down, so nobody sends any more. */
  @Override
  public void close() {
    arena.close();
  }
}

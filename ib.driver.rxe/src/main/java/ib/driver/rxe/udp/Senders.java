package ib.driver.rxe.udp;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The senders of a device: as many threads as there are may send at the same time. Made on first
 * use; those that were used last are used first, since their memory is in a cache.
 */
final class Senders implements AutoCloseable {
  private final Maker maker;
  private final AtomicReferenceArray<Sender> made; // where it is, whoever has it
  private final AtomicIntegerArray claims; // odd while claimed

  /** Makes a sender. */
  @FunctionalInterface
  interface Maker {
    Sender make(Senders home, int index);
  }

  Senders(int count, Maker maker) {
    this.maker = maker;
    this.made = new AtomicReferenceArray<>(count);
    this.claims = new AtomicIntegerArray(count);
  }

  /** {@return one that is the caller's until given back, or null when too many threads have one} */
  @Nullable Sender claim() {
    for (int i = 0; i < claims.length(); i++) {
      int n = claims.get(i);
      if ((n & 1) == 0 && claims.compareAndSet(i, n, n + 1)) {
        Sender s = made.get(i);
        if (s == null) {
          s = maker.make(this, i);
          made.set(i, s);
        }
        return s;
      }
    }
    return null;
  }

  void giveBack(Sender sender) {
    claims.getAndIncrement(sender.index);
  }

  /** Waits until whoever was sending when this was called has finished: a moment each. */
  void quiesce() {
    for (int i = 0; i < claims.length(); i++) {
      int n = claims.get(i);
      while ((n & 1) != 0 && claims.get(i) == n) {
        Thread.onSpinWait();
      }
    }
  }

  /** The engine has been shut down, so nobody sends any more. */
  @Override
  public void close() {
    for (int i = 0; i < made.length(); i++) {
      Sender s = made.get(i);
      if (s != null) {
        s.free();
      }
    }
  }
}

package ib.driver.rxe.udp;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The senders of a device; so many threads can send at the same time. A sender is created on first
 * use, and the first free one is used, since its memory is in a cache. Any thread may call; {@link
 * #claim} does not block.
 */
final class Senders implements AutoCloseable {
  private final Maker maker;
  private final AtomicReferenceArray<Sender> made; // by index, claimed or not
  private final AtomicIntegerArray claims; // odd while claimed

  /** Creates a sender. */
  @FunctionalInterface
  interface Maker {
    Sender make(Senders home, int index);
  }

  Senders(int count, Maker maker) {
    this.maker = maker;
    this.made = new AtomicReferenceArray<>(count);
    this.claims = new AtomicIntegerArray(count);
  }

  /**
   * {@return a sender for the caller alone until {@link Sender#flush}; null when all are claimed}
   */
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

  /** Waits until every sender that is claimed now was returned. Spins for a moment each. */
  void quiesce() {
    for (int i = 0; i < claims.length(); i++) {
      int n = claims.get(i);
      while ((n & 1) != 0 && claims.get(i) == n) {
        Thread.onSpinWait();
      }
    }
  }

  /** Frees the memory. Call after the engine was shut down, when no thread sends any more. */
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

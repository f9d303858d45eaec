package ib.driver.verbs.object;

import ib.core.verbs.IbInvalidException;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the posts that use an object of C now, so that its end waits for them. */
final class Held {
  private static final int ENDED = 1 << 30;
  private final AtomicInteger holders = new AtomicInteger();

  /** {@return whether the object is there; then the caller lets go} */
  boolean hold() {
    while (true) {
      int n = holders.get();
      if ((n & ENDED) != 0) {
        return false;
      }
      if (holders.compareAndSet(n, n + 1)) {
        return true;
      }
    }
  }

  /**
   * As {@link #hold}, for calls of the control path.
   *
   * @throws IbInvalidException when the object has ended
   */
  void need(String what) {
    if (!hold()) {
      throw closed(what);
    }
  }

  static IbInvalidException closed(String what) {
    return new IbInvalidException(what, "the object is closed", "another one");
  }

  boolean ended() {
    return (holders.get() & ENDED) != 0;
  }

  void letGo() {
    holders.decrementAndGet();
  }

  /** Ends it: returns when no post uses the object. A post is one call of the provider. */
  void end() {
    holders.getAndUpdate(n -> n | ENDED);
    while (holders.get() != ENDED) {
      Thread.onSpinWait();
    }
  }
}

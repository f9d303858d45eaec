package ib.driver.verbs.object;

import ib.driver.verbs.abi.Frame;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An address handle of C. Its consumer and each posted request count; who takes the last count away
 * puts the handle on the context's list of dead ones, because a poll must not call the kernel. The
 * next control call of the domain destroys it.
 */
final class NativeAh {
  final long address;
  private final AtomicReference<@Nullable NativeAh> dead;
  private final AtomicInteger count = new AtomicInteger(1);
  private @Nullable NativeAh next; // in the list of dead ones

  NativeAh(long address, AtomicReference<@Nullable NativeAh> dead) {
    this.address = address;
    this.dead = dead;
  }

  /** {@return whether the handle is there; then the caller releases it} */
  boolean acquire() {
    while (true) {
      int n = count.get();
      if (n == 0) {
        return false;
      }
      if (count.compareAndSet(n, n + 1)) {
        return true;
      }
    }
  }

  void release() {
    if (count.decrementAndGet() == 0) {
      NativeAh first;
      do {
        first = dead.get();
        next = first;
      } while (!dead.compareAndSet(first, this));
    }
  }

  /** Destroys the dead handles of a domain. Calls the kernel. */
  static void bury(VerbsContext context, AtomicReference<@Nullable NativeAh> dead) {
    NativeAh ah = dead.getAndSet(null);
    if (ah == null) {
      return;
    }
    try (Frame frame = new Frame()) {
      for (; ah != null; ah = ah.next) {
        context.destroyed("AH", frame.check(context.library.destroyAh, ah.address));
      }
    }
  }
}

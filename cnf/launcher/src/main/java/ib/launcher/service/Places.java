package ib.launcher.service;

import java.io.Closeable;
import java.util.concurrent.Semaphore;

/**
 * The places of callers whose commands and shells run. A caller that stops the runtime or looks
 * whether it runs needs none; one more shell has a place of its own; all others wait in their
 * order.
 */
final class Places {
  /** How many callers run commands and shells at a time. */
  static final int MAX = 32;

  private final Semaphore all = new Semaphore(MAX, true);
  private final Semaphore shell = new Semaphore(1);

  /**
   * Waits for a place.
   *
   * @param kind what the caller asks for
   * @return gives the place back
   */
  Closeable take(Frame.Kind kind) throws InterruptedException {
    if (kind == Frame.Kind.STOP || kind == Frame.Kind.LOOK) {
      return () -> {};
    }
    if (!all.tryAcquire()) {
      if (kind == Frame.Kind.ATTACH && shell.tryAcquire()) {
        return shell::release;
      }
      all.acquire();
    }
    return all::release;
  }
}

package ib.core.internal.event;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for which handler: a thread inside handler A that fences B, while B's fences A, would
 * wait for ever (contract 2.6-4). A leaf lock; the edge is recorded before the wait begins.
 */
final class FenceGraph {
  private final Map<Thread, HandlerQueue> waits = new HashMap<>();

  /**
   * Records that the calling thread will wait.
   *
   * @return null, or the thread that would never be done since it waits for the caller
   */
  synchronized @Nullable Thread enter(HandlerQueue queue) {
    Thread self = Thread.currentThread();
    Thread runner = queue.runner();
    if (self.equals(runner)) {
      return null; // inside itself it does not wait (CC-17): no edge
    }
    // no edge ever closes a circle, so this ends; the count guards against runners that change
    for (int i = 0; runner != null && i <= waits.size(); i++) {
      HandlerQueue next = waits.get(runner);
      Thread last = runner;
      runner = next == null ? null : next.runner();
      if (self.equals(runner)) {
        return last;
      }
    }
    waits.put(self, queue);
    return null;
  }

  synchronized void exit() {
    waits.remove(Thread.currentThread());
  }
}

package ib.core.internal.callback;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for whom, until a callback or somebody else's close has ended. A callback of A that
 * closes B while a callback of B closes A would wait for ever: the second one is told before it
 * waits (contract 2.6-4). A leaf lock; who may not sleep does not come here.
 */
public final class FenceGraph {
  private final Map<Thread, Supplier<@Nullable Thread>> waits = new HashMap<>();

  /** An empty graph. */
  public FenceGraph() {}

  /**
   * Records that the calling thread will wait.
   *
   * @param holder the thread it waits for at the time of asking, or null
   * @return false when that would never end; nothing is recorded then
   */
  public synchronized boolean enter(Supplier<@Nullable Thread> holder) {
    Thread self = Thread.currentThread();
    Supplier<@Nullable Thread> at = holder;
    for (int steps = 0; at != null && steps <= waits.size(); steps++) {
      Thread thread = at.get();
      if (self.equals(thread)) {
        return false;
      }
      at = thread == null ? null : waits.get(thread);
    }
    waits.put(self, holder);
    return true;
  }

  /** The calling thread has waited. */
  public synchronized void exit() {
    waits.remove(Thread.currentThread());
  }
}

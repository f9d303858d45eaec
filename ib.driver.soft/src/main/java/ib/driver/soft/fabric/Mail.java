package ib.driver.soft.fabric;

import ib.core.client.Incidents;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The ports that have queued datagrams: a stack that is linked through the ports themselves, so
 * that adding a port takes no lock, no wait and no memory. Any thread adds a port; only a thread
 * that holds the fabric's monitor takes ports out.
 */
final class Mail {
  private final AtomicReference<@Nullable FabricPort> top = new AtomicReference<>();

  /** Adds a port that has queued a datagram, unless the stack holds the port already. */
  void left(FabricPort at) {
    if (!at.waiting.getAndSet(true)) {
      FabricPort below = top.get();
      at.below = below;
      while (!top.compareAndSet(below, at)) {
        below = top.get();
        at.below = below;
      }
    }
  }

  /**
   * Takes all ports out and carries their datagrams. The caller holds the fabric's monitor.
   * {@return whether the stack held a port}
   */
  boolean carry(Incidents incidents) {
    FabricPort at = top.getAndSet(null);
    boolean any = at != null;
    while (at != null) {
      FabricPort next = at.below;
      at.below = null;
      at.waiting.set(false); // a datagram that is queued from now on adds the port again
      incidents.outlive(at::carry);
      at = next;
    }
    return any;
  }
}

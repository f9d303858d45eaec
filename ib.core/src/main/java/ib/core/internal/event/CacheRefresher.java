package ib.core.internal.event;

import ib.core.verbs.EventType;
import java.util.BitSet;

/**
 * Refreshes the caches before anybody hears of an event (B13): the attributes of the port for each
 * of the seven port events, of all ports when it is unknown what has changed; a table when the
 * event is about it, or the driver's number says that it has changed, or the driver has no numbers.
 * What fails is reported, and tried again before the next event and after a while; the event is
 * delivered all the same (Linux drops it). For the dispatcher's runs only, but for {@link
 * #remainingNs}.
 */
final class CacheRefresher {
  private static final long NEVER = Long.MAX_VALUE;

  private final EventHub hub;
  private final EventCounters counters;
  private final PortCaches caches;
  private final BitSet stale = new BitSet();
  private final BitSet gids = new BitSet(); // of stale ports: to be read whatever its number
  private final BitSet pkeys = new BitSet();
  private volatile long retryNs = NEVER; // what is stale is tried again then

  CacheRefresher(EventHub hub, EventCounters counters, PortCaches caches) {
    this.hub = hub;
    this.counters = counters;
    this.caches = caches;
  }

  void before(EventType type, int port) {
    switch (type) {
      case PORT_ERR,
          PORT_ACTIVE,
          LID_CHANGE,
          PKEY_CHANGE,
          SM_CHANGE,
          CLIENT_REREGISTER,
          GID_CHANGE -> {
        if (port < 1 || port > caches.portCount()) {
          hub.reports()
              .trouble(caches.device(), type + " of port " + port + ", which is not there", null);
          staleAll();
        } else {
          stale.set(port);
          gids.set(port, gids.get(port) || type == EventType.GID_CHANGE);
          pkeys.set(port, pkeys.get(port) || type == EventType.PKEY_CHANGE);
        }
      }
      case EVENT_OVERFLOW, DEVICE_SPEED_CHANGE, RESET_END -> staleAll();
      default -> {
        // a failed or resetting device is not asked; affiliated types never come here
      }
    }
    refreshStale();
  }

  private void staleAll() {
    stale.set(1, caches.portCount() + 1);
  }

  private void refreshStale() {
    if (retryNs != NEVER) {
      retryNs = NEVER;
    }
    for (int port = stale.nextSetBit(1); port > 0; port = stale.nextSetBit(port + 1)) {
      try {
        caches.refresh(port, gids.get(port), pkeys.get(port));
        stale.clear(port);
        gids.clear(port);
        pkeys.clear(port);
      } catch (Throwable t) { // driver code: whatever it throws, the event is delivered
        counters.refreshErrors.increment();
        retryNs = hub.clock().nanoTime() + hub.config().refreshRetryNs();
        hub.reports().trouble(caches.device(), "cannot refresh the cache of port " + port, t);
      }
    }
  }

  /** {@return nanoseconds until {@link #retry} is due, or Long.MAX_VALUE; for anybody} */
  long remainingNs(long nowNs) {
    long at = retryNs;
    return at == NEVER ? NEVER : at - nowNs;
  }

  /** Tries again what has failed, when it is time. */
  void retry(long nowNs) {
    if (remainingNs(nowNs) <= 0) {
      refreshStale();
    }
  }
}

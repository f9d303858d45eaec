package ib.core.internal.event;

import ib.core.verbs.EventType;
import java.util.BitSet;

/**
 * Refreshes the caches before the core delivers an event (B13). Each of the seven port events
 * refreshes the attributes of its port; an event that does not say what has changed refreshes all
 * ports. A table is read when the event is about the table, when the driver's number of the table
 * has changed, or when the driver has no numbers. A refresh that fails is reported and tried again,
 * before the next event and after the retry time; the event is delivered in any case (Linux drops
 * it). Only a run of the dispatcher may call these methods, except {@link #remainingNs}.
 */
final class CacheRefresher {
  private static final long NEVER = Long.MAX_VALUE;

  private final EventHub hub;
  private final EventCounters counters;
  private final PortCaches caches;
  private final BitSet stale = new BitSet();
  // stale ports whose table is read even if the driver's number of the table is unchanged
  private final BitSet gids = new BitSet();
  private final BitSet pkeys = new BitSet();
  private volatile long retryNs = NEVER; // when the stale ports are refreshed again

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
          GID_CHANGE,
          PORT_CHANGE -> {
        if (port < 1 || port > caches.portCount) {
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
        // the core queries no device that failed or is in reset; affiliated types never come here
      }
    }
    refreshStale();
  }

  private void staleAll() {
    stale.set(1, caches.portCount + 1);
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
        retryNs = hub.clock.nanoTime() + hub.config.refreshRetryNs();
        hub.reports().trouble(caches.device(), "cannot refresh the cache of port " + port, t);
      }
    }
  }

  /** {@return nanoseconds until {@link #retry} is due, or Long.MAX_VALUE; for any thread} */
  long remainingNs(long nowNs) {
    long at = retryNs;
    return at == NEVER ? NEVER : at - nowNs;
  }

  /** Repeats the refreshes that failed, if the retry time has passed. */
  void retry(long nowNs) {
    if (remainingNs(nowNs) <= 0) {
      refreshStale();
    }
  }
}

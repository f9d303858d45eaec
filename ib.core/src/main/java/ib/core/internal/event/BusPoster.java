package ib.core.internal.event;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Posts a device's events, from its dispatcher only. A bus ought not to block in post; should one
 * do so all the same (an EventAdmin that is being stopped runs handlers in the poster), the
 * dispatcher that is stuck there loses its office: {@link #seize} takes it away, and another thread
 * goes on without that bus.
 */
final class BusPoster {
  /** How a post ended. */
  enum Result {
    /** It is on the bus. */
    TAKEN,
    /** Nobody took it. */
    REFUSED,
    /** It took so long that the caller is no longer the dispatcher: it touches nothing more. */
    DISOWNED
  }

  private final EventHub hub;
  private final EventCounters counters;
  private final BusLag lag;
  // even: outside, odd: inside post. Who is inside may go on only if it finds its own odd number.
  private final AtomicLong phase = new AtomicLong();
  private volatile @Nullable EventBus postingTo;
  private volatile @Nullable EventBus stuckBus;
  // watch only
  private long seenPhase;
  private long seenNs;

  BusPoster(EventHub hub, EventCounters counters) {
    this.hub = hub;
    this.counters = counters;
    EventConfig config = hub.config();
    this.lag = new BusLag(2 * config.queueCapacity(), config.returnTimeoutNs());
  }

  /** {@return whether a bus is there, although it may not be {@link #ready}} */
  boolean present() {
    return hub.bus() != null;
  }

  /** {@return the bus, or null when there is none, it is stuck, or it has too much of ours} */
  @Nullable EventBus ready(long nowNs, boolean mirror) {
    EventBus bus = hub.bus();
    if (bus == null) {
      return null;
    }
    if (same(bus, stuckBus) || !lag.mayPost(nowNs, mirror)) {
      counters.unposted.increment();
      return null;
    }
    return bus;
  }

  /** Posts, on the dispatcher. */
  Result post(EventBus bus, String device, String topic, Map<String, Object> properties, long key) {
    lag.posted(key, hub.clock().nanoTime());
    postingTo = bus;
    long inside = phase.incrementAndGet();
    boolean taken = false;
    try {
      taken = bus.post(topic, properties);
    } catch (Throwable t) { // foreign code: whatever it throws, the dispatcher goes on
      hub.reports().trouble(device, "the event bus failed to take " + topic, t);
    }
    if (!phase.compareAndSet(inside, inside + 1)) {
      stuckBus = null; // back at last: the bus may be used again
      return Result.DISOWNED;
    }
    return taken ? Result.TAKEN : Result.REFUSED;
  }

  void returned(long key) {
    lag.returned(key);
  }

  /**
   * For the watch: takes the office from a dispatcher that has been in one post for too long.
   *
   * @return whether it did, and another dispatcher must be started
   */
  boolean seize(long nowNs) {
    long p = phase.get();
    if ((p & 1) == 0 || p != seenPhase) {
      seenPhase = p;
      seenNs = nowNs;
      return false;
    }
    if (nowNs - seenNs < hub.config().returnTimeoutNs()) {
      return false;
    }
    stuckBus = postingTo;
    if (phase.compareAndSet(p, p + 1)) {
      return true;
    }
    stuckBus = null;
    return false;
  }

  @SuppressWarnings("ReferenceEquality") // the very same bus, which is stuck
  private static boolean same(EventBus a, @Nullable EventBus b) {
    return a == b;
  }
}

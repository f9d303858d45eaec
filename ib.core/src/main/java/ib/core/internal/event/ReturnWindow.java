package ib.core.internal.event;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * The events of a device that were posted on the bus and have not come back (D8). The window
 * decides when an event goes to the typed handlers: when the bus gives it back, or when the return
 * timeout has passed. So the handlers get each event exactly once and in order, even if the bus
 * delays, drops, repeats or reorders events.
 *
 * <p>The monitor is a leaf: the handlers' mailboxes are lock-free, and no thread calls a handler
 * while it holds the monitor.
 */
class ReturnWindow {
  private record Waiting(DeviceEvent event, long deadlineNs) {}

  private final int capacity;
  private final LongAdder detours;
  private final Consumer<DeviceEvent> handlers;

  @GuardedBy("this")
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private long lastPosted;

  @GuardedBy("this")
  private boolean detour;

  @GuardedBy("this")
  private boolean closing;

  ReturnWindow(int capacity, LongAdder detours, Consumer<DeviceEvent> handlers) {
    this.capacity = capacity;
    this.detours = detours;
    this.handlers = handlers;
  }

  /**
   * Takes an event that is about to be posted.
   *
   * @return false when the event went to the handlers at once, because the bus is overdue
   */
  synchronized boolean posted(DeviceEvent event, long deadlineNs) {
    lastPosted = event.sequence();
    if (closing) {
      handlers.accept(event);
      return true;
    }
    if (detour) {
      detours.increment();
      handlers.accept(event);
      return false;
    }
    waiting.add(new Waiting(event, deadlineNs));
    return true;
  }

  /** Hands an event that is not posted to the handlers, after all events that were posted. */
  synchronized void direct(DeviceEvent event) {
    flush();
    handlers.accept(event);
  }

  /**
   * Takes an event back from the bus, perhaps too late or repeatedly. The bus keeps the order, so
   * no earlier event will come back any more.
   *
   * @return whether the dispatcher has work: a full window has free entries again, or the bus has
   *     caught up
   */
  synchronized boolean returned(long sequence) {
    if (sequence > lastPosted) {
      return false; // forged
    }
    boolean wasFull = full();
    boolean caughtUp = detour && sequence == lastPosted;
    detour &= !caughtUp;
    handUpTo(sequence);
    return caughtUp || wasFull && !full();
  }

  @GuardedBy("this")
  private void handUpTo(long sequence) {
    for (Waiting w = waiting.peek();
        w != null && w.event.sequence() <= sequence;
        w = waiting.peek()) {
      handlers.accept(waiting.remove().event);
    }
  }

  /**
   * Hands all waiting events to the handlers when the oldest is overdue.
   *
   * @return how many events were handed on
   */
  synchronized int expire(long nowNs) {
    Waiting oldest = waiting.peek();
    if (oldest == null || oldest.deadlineNs - nowNs > 0) {
      return 0;
    }
    detour = true;
    detours.add(waiting.size());
    return flush();
  }

  /** Hands all waiting events to the handlers. */
  synchronized int flush() {
    int n = waiting.size();
    handUpTo(lastPosted);
    return n;
  }

  /** Ends the waiting for the bus: later events go to the handlers at once (CC-16). */
  synchronized void close() {
    closing = true;
    flush();
  }

  synchronized boolean full() {
    return waiting.size() >= capacity;
  }

  synchronized boolean detour() {
    return detour;
  }

  /** {@return nanoseconds until the oldest event is overdue, or Long.MAX_VALUE} */
  synchronized long remainingNs(long nowNs) {
    Waiting oldest = waiting.peek();
    return oldest == null ? Long.MAX_VALUE : oldest.deadlineNs - nowNs;
  }
}

package ib.core.internal.event;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * The events of a device that were posted on the bus and have not come back (D8). Decides who hands
 * an event to the typed handlers, the bus by coming back or the dispatcher by losing patience, so
 * that each is handed on exactly once and in order, whatever the bus does: hold up, drop, repeat,
 * reorder.
 *
 * <p>The lock is a leaf but for those of the handlers' queues; no consumer code runs under it.
 */
class ReturnWindow {
  private record Waiting(DeviceEvent event, long deadlineNs) {}

  private final int capacity;
  private final LongAdder detours;
  private final Consumer<DeviceEvent> handlers;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private long lastPosted;
  private boolean detour;
  private boolean closing;

  ReturnWindow(int capacity, LongAdder detours, Consumer<DeviceEvent> handlers) {
    this.capacity = capacity;
    this.detours = detours;
    this.handlers = handlers;
  }

  /**
   * Just before an event is posted.
   *
   * @return false when it is handed on at once since the bus is overdue
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

  /** An event that is not posted follows all that were. */
  synchronized void direct(DeviceEvent event) {
    flush();
    handlers.accept(event);
  }

  /**
   * An event has come back, perhaps too late or repeatedly. The bus keeps order: nothing before the
   * event will come any more.
   *
   * @return whether the dispatcher has something to do: there is room again after the window had
   *     been full, or the bus has caught up
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

  private void handUpTo(long sequence) {
    for (Waiting w = waiting.peek();
        w != null && w.event.sequence() <= sequence;
        w = waiting.peek()) {
      handlers.accept(waiting.remove().event);
    }
  }

  /**
   * Hands on everything when the oldest event is overdue.
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

  /** Hands on everything that waits. */
  synchronized int flush() {
    int n = waiting.size();
    handUpTo(lastPosted);
    return n;
  }

  /** From now on nothing waits for the bus (CC-16). */
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

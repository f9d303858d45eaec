package ib.core.internal.event;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.Violation;
import ib.core.internal.callback.Stacks;
import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbEventHandler;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbTimedOutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The typed handlers of a device (S42, S43). The table's monitor is a leaf: a thread holds it only
 * to look up and change the table, and calls no handler meanwhile.
 */
final class HandlerTable {
  private final EventHub hub;
  private final EventCounters counters;

  // includes handlers that were closed during a call, until that call returns
  @GuardedBy("this")
  private final Map<IbEventHandler, TypedHandler> queues = new IdentityHashMap<>();

  @GuardedBy("this")
  private final Set<IbDevice> closedOwners = Collections.newSetFromMap(new WeakHashMap<>());

  @GuardedBy("this")
  private boolean closed;

  private volatile TypedHandler[] live = new TypedHandler[0]; // replaced under the monitor

  HandlerTable(EventHub hub, EventCounters counters) {
    this.hub = hub;
    this.counters = counters;
  }

  void offer(DeviceEvent event) {
    for (TypedHandler queue : live) {
      queue.offer(event);
    }
  }

  synchronized void register(IbDevice owner, IbEventHandler handler) {
    if (!same(handler.device(), owner)) {
      throw new IbInvalidException(
          "registerEventHandler on " + owner.name(),
          "the handler was made for another handle, of " + handler.device().name(),
          "new IbEventHandler(device) with the device given to IbClient.add");
    }
    if (closed || closedOwners.contains(owner)) {
      throw new IbDisassociatedException(
          "registerEventHandler on " + owner.name(), "the handle is no longer bound", "");
    }
    TypedHandler queue = queues.get(handler);
    if (queue == null) {
      queue = new TypedHandler(handler, this, hub, counters);
      queues.put(handler, queue);
    } else if (!queue.register()) {
      throw new IbInvalidException(
          "registerEventHandler on " + owner.name(),
          "the handler is registered already",
          "unregister it first, or make another one");
    }
    TypedHandler[] more = Arrays.copyOf(live, live.length + 1);
    more[live.length] = queue;
    live = more;
  }

  void unregister(IbDevice owner, IbEventHandler handler) {
    TypedHandler queue;
    synchronized (this) {
      queue = queues.get(handler);
      if (queue == null || !same(queue.owner(), owner)) {
        return;
      }
      silence(queue);
    }
    End end = queue.fence(Waits.Rank.THROWS, hub.waits.deadlineNs());
    switch (end.kind()) {
      case DONE -> {}
      case INSIDE ->
          reportInside(
              queue, "unregistered itself inside its own call: it ends when the call returns");
      case REFUSED -> {
        Thread other = end.cycle().get(1);
        throw new IbDeadlockException(
            "unregistering event handler " + queue.culprit(),
            "its call waits, in the end, for the caller; it will not be called again, but its call"
                + " has not ended: "
                + other.getName()
                + " at "
                + String.join(" < ", Stacks.of(other)),
            "unregister from outside of callbacks that the handler waits for");
      }
      case TIMEOUT -> {
        reportRunning(queue, "did not return in time");
        throw new IbTimedOutException(
            "unregistering event handler " + queue.culprit(),
            "it will not be called again, but its call does not return",
            "a handler that does not block");
      }
    }
    forget(queue);
  }

  /**
   * Unregisters all handlers of an owner, for good (I4).
   *
   * @return which were registered, and whether none of them runs
   */
  ClosedHandlers closeOwner(IbDevice owner, long timeoutNs) {
    List<TypedHandler> mine = new ArrayList<>();
    List<String> leftovers = new ArrayList<>();
    synchronized (this) {
      closedOwners.add(owner);
      for (TypedHandler queue : queues.values()) {
        if (same(queue.owner(), owner)) {
          mine.add(queue);
        }
      }
      for (TypedHandler queue : live) {
        if (same(queue.owner(), owner)) {
          leftovers.add(queue.culprit());
        }
      }
      for (TypedHandler queue : mine) {
        silence(queue);
      }
    }
    return new ClosedHandlers(leftovers, fenceAll(mine, timeoutNs));
  }

  /** Waits until all queued events are handled, then unregisters all handlers for good (CC-16). */
  boolean closeAll(long timeoutNs) {
    long start = System.nanoTime();
    List<TypedHandler> all;
    boolean allReturned;
    synchronized (this) {
      closed = true;
      all = queues.values().stream().filter(q -> !q.isGivenUp()).toList();
      allReturned = all.size() == queues.size();
    }
    for (TypedHandler queue : all) {
      queue.drain(timeoutNs - (System.nanoTime() - start));
    }
    synchronized (this) {
      for (TypedHandler queue : all) {
        silence(queue);
      }
    }
    return fenceAll(all, timeoutNs - (System.nanoTime() - start)) && allReturned;
  }

  private boolean fenceAll(List<TypedHandler> all, long timeoutNs) {
    long start = System.nanoTime();
    boolean fenced = true;
    for (TypedHandler queue : all) {
      End end = queue.fence(Waits.Rank.CLOSES, timeoutNs - (System.nanoTime() - start));
      switch (end.kind()) {
        case DONE -> {}
        case INSIDE ->
            reportInside(
                queue, "is removed from inside its own call: it ends when the call returns");
        case REFUSED -> reportRunning(queue, "waits, in the end, for the thread that closes it");
        case TIMEOUT -> {
          queue.giveUp();
          reportRunning(queue, "did not return in time");
        }
      }
      fenced &= end.done();
      forget(queue);
    }
    return fenced;
  }

  /** Ends the delivery of events to a handler. */
  @GuardedBy("this")
  private void silence(TypedHandler queue) {
    queue.discard();
    List<TypedHandler> rest = new ArrayList<>(List.of(live));
    rest.remove(queue);
    live = rest.toArray(TypedHandler[]::new);
  }

  /** Drops a closed handler from the table if no call of it runs. */
  private synchronized void forget(TypedHandler queue) {
    if (queue.hasEnded()) {
      queues.remove(queue.handler, queue);
    }
  }

  /**
   * Drops a handler at the end of the call in which it was closed, unless it was registered again.
   */
  synchronized void drop(TypedHandler queue) {
    if (queue.isClosed()) {
      queues.remove(queue.handler, queue);
    }
  }

  /** {@return whether the calling thread is inside a handler, of one owner or of any} */
  synchronized boolean inside(@Nullable IbDevice owner) {
    for (TypedHandler queue : queues.values()) {
      if (queue.isInside() && (owner == null || same(queue.owner(), owner))) {
        return true;
      }
    }
    return false;
  }

  synchronized boolean inside(IbEventHandler handler) {
    TypedHandler queue = queues.get(handler);
    return queue != null && queue.isInside();
  }

  private void reportInside(TypedHandler queue, String text) {
    hub.reports()
        .violation(
            new Violation(
                "CC-17",
                queue.party(),
                "event handler " + queue.text() + " " + text,
                Stacks.of(Thread.currentThread()),
                List.of()));
  }

  private void reportRunning(TypedHandler queue, String text) {
    Thread runner = queue.runner();
    hub.reports()
        .violation(
            new Violation(
                "S43",
                queue.party(),
                "event handler " + queue.text() + " " + text + ": it is left running",
                Stacks.of(runner),
                Stacks.of(Thread.currentThread())));
  }

  @SuppressWarnings("ReferenceEquality") // the same handle is meant, not an equal one
  private static boolean same(IbDevice a, IbDevice b) {
    return a == b;
  }
}

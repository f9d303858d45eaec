package ib.core.internal.event;

import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One typed handler and what it is still to hear: bounded, in order, once, one call at a time; a
 * slow handler holds up nobody but itself (F22).
 */
final class HandlerQueue implements Runnable {
  /** How a fence ended. */
  enum Fence {
    /** The handler does not run. */
    DONE,
    /** The caller is inside the handler: it ends when the caller returns (CC-17). */
    INSIDE,
    /** It still runs, and the caller's time is over. */
    TIMEOUT
  }

  private final IbEventHandler handler;
  private final HandlerTable table;
  private final EventHub hub;
  private final EventCounters counters;
  private final int capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // all guarded by the lock
  private final ArrayDeque<DeviceEvent> pending = new ArrayDeque<>();
  private @Nullable DeviceEvent lastLost;
  private int lost;
  private boolean open = true;
  private boolean scheduled;
  private long runs;
  // written under the lock, read by anybody
  private volatile @Nullable Thread runner;
  private volatile boolean givenUp;

  HandlerQueue(IbEventHandler handler, HandlerTable table, EventHub hub, EventCounters counters) {
    this.handler = handler;
    this.table = table;
    this.hub = hub;
    this.counters = counters;
    this.capacity = hub.config().handlerCapacity();
  }

  IbDevice owner() {
    return handler.device();
  }

  IbEventHandler handler() {
    return handler;
  }

  @Nullable Thread runner() {
    return runner;
  }

  /** {@return who it is, as text that stays valid when its bundle is gone (B10)} */
  String culprit() {
    return handler.getClass().getName();
  }

  /** Queues an event; called in order, by one thread at a time. */
  void offer(DeviceEvent event) {
    lock.lock();
    try {
      if (!open) {
        return;
      }
      if (pending.size() >= capacity) {
        int n = Math.max(1, event.lost()); // a lost overflow event stands for what it stood for
        lost = lost > Integer.MAX_VALUE - n ? Integer.MAX_VALUE : lost + n;
        lastLost = event;
        counters.handlerLost.add(n);
      } else {
        addLosses();
        pending.add(event);
      }
      if (scheduled) {
        return;
      }
      scheduled = true;
    } finally {
      lock.unlock();
    }
    start();
  }

  private void start() {
    try {
      hub.executor().execute(this);
    } catch (RuntimeException e) { // the next event tries again
      lock.lock();
      try {
        scheduled = false;
      } finally {
        lock.unlock();
      }
      hub.reports().trouble(owner().name(), "no thread for event handler " + culprit(), e);
    }
  }

  /** In place of what was lost, one event that tells how many and ends with the last of them. */
  private void addLosses() {
    if (lastLost != null) {
      pending.add(
          new DeviceEvent(
              EventType.EVENT_OVERFLOW, 0, lost, lastLost.sequence(), lastLost.timeNs()));
      lastLost = null;
      lost = 0;
    }
  }

  @Override
  public void run() {
    for (DeviceEvent event = begin(); event != null; event = begin()) {
      try {
        call(event);
      } finally {
        end();
      }
    }
    table.forget(this);
  }

  private @Nullable DeviceEvent begin() {
    lock.lock();
    try {
      if (pending.isEmpty()) {
        addLosses();
      }
      DeviceEvent event = pending.poll();
      if (event == null) {
        scheduled = false;
        changed.signalAll();
      } else {
        runner = Thread.currentThread();
        runs++;
      }
      return event;
    } finally {
      lock.unlock();
    }
  }

  private void call(DeviceEvent e) {
    Thread self = Thread.currentThread();
    ClassLoader before = self.getContextClassLoader();
    self.setContextClassLoader(handler.getClass().getClassLoader());
    hub.section().enter(handler);
    try {
      handler.handle(
          new IbEvent(owner(), e.type(), null, e.portOrLost(), e.sequence(), e.timeNs()));
    } catch (Throwable t) { // consumer code: whatever it throws, the next event is delivered
      counters.handlerErrors.increment();
      hub.reports().trouble(owner().name(), "event handler " + culprit() + " threw at " + e, t);
    } finally {
      hub.section().exit();
      self.setContextClassLoader(before);
      Thread.interrupted(); // an interrupt meant for this call is not the next one's
    }
  }

  private void end() {
    counters.delivered.increment();
    lock.lock();
    try {
      runner = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** From now on it hears nothing; a call that has begun goes on. */
  void close() {
    lock.lock();
    try {
      open = false;
      pending.clear();
      lastLost = null;
      lost = 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** It hears again: the same queue, so that its calls stay one at a time. */
  boolean reopen() {
    lock.lock();
    try {
      boolean wasClosed = !open;
      open = true;
      givenUp = false;
      return wasClosed;
    } finally {
      lock.unlock();
    }
  }

  /** A fence has waited for it long enough: no other one does (CC-19). */
  void giveUp() {
    givenUp = true;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  boolean isClosedAndIdle() {
    lock.lock();
    try {
      return !open && runner == null && !scheduled;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the call that runs now has ended. */
  Fence fence(long timeoutNs) {
    if (Thread.currentThread().equals(runner)) {
      return Fence.INSIDE;
    }
    lock.lock();
    try {
      long mine = runs;
      return await(timeoutNs, () -> runner != null && runs == mine) ? Fence.DONE : Fence.TIMEOUT;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until everything queued has been heard. */
  Fence drain(long timeoutNs) {
    if (Thread.currentThread().equals(runner)) {
      return Fence.INSIDE;
    }
    lock.lock();
    try {
      return await(timeoutNs, () -> open && scheduled) ? Fence.DONE : Fence.TIMEOUT;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits, with the lock held; an interrupt is kept for later, since a fence must hold (2.6-8c).
   */
  private boolean await(long timeoutNs, BooleanSupplier busy) {
    boolean interrupted = false;
    long start = System.nanoTime();
    long reportNs = hub.config().stuckReportNs();
    try {
      while (busy.getAsBoolean()) {
        long left = timeoutNs - (System.nanoTime() - start);
        if (left <= 0) {
          return false;
        }
        try {
          if (changed.awaitNanos(Math.min(left, reportNs)) <= 0 && left > reportNs) {
            reportStuck(System.nanoTime() - start);
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void reportStuck(long sinceNs) {
    Thread t = runner;
    lock.unlock();
    try {
      hub.reports()
          .trouble(
              owner().name(),
              "event handler "
                  + culprit()
                  + " holds up a fence for "
                  + TimeUnit.NANOSECONDS.toMillis(sinceNs)
                  + " ms; its thread: "
                  + (t == null ? "none" : Stacks.text(t)),
              null);
    } finally {
      lock.lock();
    }
  }
}

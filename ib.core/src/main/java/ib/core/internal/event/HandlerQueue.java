package ib.core.internal.event;

import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One typed handler and what it is still to hear: bounded, in order, once, one call at a time; a
 * slow handler holds up nobody but itself (F22).
 */
final class HandlerQueue implements Runnable {
  private final IbEventHandler handler;
  private final HandlerTable table;
  private final EventHub hub;
  private final EventCounters counters;
  private final int capacity;
  private final ReentrantLock lock = new ReentrantLock();
  // all guarded by the lock
  private final ArrayDeque<DeviceEvent> pending = new ArrayDeque<>();
  private @Nullable DeviceEvent lastLost;
  private int lost;
  // written under the lock, read by anybody
  private volatile boolean open = true;
  private volatile boolean scheduled;
  private volatile long runs; // written before the runner
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
    } catch (RuntimeException | Error e) { // no memory for a thread: the next event tries again
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

  @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread at a time: it has the lock
  private @Nullable DeviceEvent begin() {
    lock.lock();
    try {
      if (pending.isEmpty()) {
        addLosses();
      }
      DeviceEvent event = pending.poll();
      if (event == null) {
        scheduled = false;
      } else {
        runs++;
        runner = Thread.currentThread();
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
  End fence(Waits.Rank rank, long limitNs) {
    return hub.waits().await(new Call(this, runs), rank, limitNs);
  }

  /** Waits until everything queued has been heard. */
  End drain(long limitNs) {
    return hub.waits().await(new Rest(this), Waits.Rank.CLOSES, limitNs);
  }

  /** One call of the handler, by its number. */
  private record Call(HandlerQueue queue, long number) implements Waits.Target {
    @Override
    public boolean over() {
      return queue.runner == null || queue.runs != number;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = queue.runner; // read before the number: so it is that call's, or none
      if (t != null && queue.runs == number) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return "the call of event handler " + queue.culprit() + " of " + queue.owner().name();
    }
  }

  /** All that an open queue has to deliver. */
  private record Rest(HandlerQueue queue) implements Waits.Target {
    @Override
    public boolean over() {
      return !queue.open || !queue.scheduled;
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = queue.runner;
      if (t != null) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return "the events of event handler " + queue.culprit() + " of " + queue.owner().name();
    }
  }
}

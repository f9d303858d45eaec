package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbEvent;
import ib.core.verbs.IbEventHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** A typed handler that keeps what it heard, and sees when it is called twice at once. */
final class Recorder extends IbEventHandler {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final List<IbEvent> heard = new ArrayList<>();
  private final AtomicInteger inside = new AtomicInteger();
  private final Consumer<IbEvent> action;
  private volatile boolean overlapped;

  Recorder(IbDevice device) {
    this(device, e -> {});
  }

  /** Runs an action in each call, after the event was kept. */
  Recorder(IbDevice device, Consumer<IbEvent> action) {
    super(device);
    this.action = action;
  }

  @Override
  public void handle(IbEvent event) {
    if (inside.incrementAndGet() != 1) {
      overlapped = true;
    }
    lock.lock();
    try {
      heard.add(event);
      more.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      action.accept(event);
    } finally {
      inside.decrementAndGet();
    }
  }

  boolean overlapped() {
    return overlapped;
  }

  boolean isInside() {
    return inside.get() > 0;
  }

  List<IbEvent> heard() {
    lock.lock();
    try {
      return List.copyOf(heard);
    } finally {
      lock.unlock();
    }
  }

  List<EventType> types() {
    return heard().stream().map(IbEvent::type).toList();
  }

  List<Long> sequences() {
    return heard().stream().map(IbEvent::sequence).toList();
  }

  /** Waits until so many events were heard. */
  Recorder await(int count) {
    assertTrue(await(count, TimeUnit.SECONDS.toNanos(60)), () -> count + " of " + heard());
    return this;
  }

  boolean await(int count, long timeoutNs) {
    lock.lock();
    try {
      long left = timeoutNs;
      while (heard.size() < count) {
        if (left <= 0) {
          return false;
        }
        left = more.awaitNanos(left);
      }
      return true;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      lock.unlock();
    }
  }
}

package ib.core.internal.event;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Time that a test moves by hand. */
final class ManualClock implements EventClock {
  private final AtomicLong now = new AtomicLong(1_000);
  private final Set<Thread> parked = ConcurrentHashMap.newKeySet();

  @Override
  public long nanoTime() {
    return now.get();
  }

  @Override
  public void parkUntil(Object blocker, long deadlineNs) {
    parked.add(Thread.currentThread());
    // who moves time from here on finds this thread and unparks it
    if (now.get() - deadlineNs < 0) {
      LockSupport.park(blocker);
    }
    parked.remove(Thread.currentThread());
  }

  void advance(long nanos) {
    now.addAndGet(nanos);
    parked.forEach(LockSupport::unpark);
  }
}

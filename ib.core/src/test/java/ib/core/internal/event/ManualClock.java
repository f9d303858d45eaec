package ib.core.internal.event;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Time that a test moves by hand. */
final class ManualClock implements EventClock {
  private final AtomicLong now = new AtomicLong(1_000);
  private final Map<Thread, Long> parked = new ConcurrentHashMap<>(); // until when

  @Override
  public long nanoTime() {
    return now.get();
  }

  @Override
  public void parkUntil(Object blocker, long deadlineNs) {
    parked.put(Thread.currentThread(), deadlineNs);
    // who moves time from here on finds this thread and unparks it
    if (now.get() - deadlineNs < 0) {
      LockSupport.park(blocker);
    }
    parked.remove(Thread.currentThread());
  }

  /**
   * {@return whether threads wait for time to move, and have done all that was to be done so far}
   */
  boolean allWait() {
    return !parked.isEmpty()
        && parked.entrySet().stream()
            .allMatch(
                e -> e.getValue() - now.get() > 0 && e.getKey().getState() == Thread.State.WAITING);
  }

  void advance(long nanos) {
    now.addAndGet(nanos);
    parked.keySet().forEach(LockSupport::unpark);
  }
}

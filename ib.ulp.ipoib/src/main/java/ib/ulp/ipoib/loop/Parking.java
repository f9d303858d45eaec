package ib.ulp.ipoib.loop;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Sleeps by parking the thread; for an interface without a file descriptor. */
public final class Parking implements Loop.Sleeper {
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile @Nullable Thread sleeping;

  @Override
  public void sleep(long nanos) {
    sleeping = Thread.currentThread();
    if (!woken.getAndSet(false)) {
      LockSupport.parkNanos(this, nanos);
      woken.set(false);
    }
  }

  @Override
  public void wake() {
    woken.set(true);
    LockSupport.unpark(sleeping);
  }
}

package ib.driver.rxe.udp;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A bell without announcements, for hosts whose system calls cannot be used. */
final class SilentNews extends HostNews {
  private volatile boolean rung;
  private volatile @Nullable Thread waiting; // stored before the thread looks at rung

  @Override
  public boolean announces() {
    return false;
  }

  @Override
  public Optional<String> failure() {
    return Optional.empty();
  }

  @Override
  public boolean await(int milliseconds) {
    waiting = Thread.currentThread();
    long start = System.nanoTime();
    long limit = milliseconds < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(milliseconds);
    long left = limit;
    while (!rung && left > 0) {
      LockSupport.parkNanos(this, left);
      Thread.interrupted(); // an interrupt has no meaning here, and would keep it from sleeping
      left = limit - (System.nanoTime() - start);
    }
    rung = false;
    return false;
  }

  @Override
  public void ring() {
    rung = true;
    LockSupport.unpark(waiting);
  }

  @Override
  public void close() {}
}

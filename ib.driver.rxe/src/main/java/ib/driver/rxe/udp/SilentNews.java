package ib.driver.rxe.udp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A bell without announcements, for hosts whose system calls cannot be used. */
final class SilentNews extends HostNews {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition bell = lock.newCondition();

  @GuardedBy("lock")
  private boolean rung;

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
    lock.lock();
    try {
      long left = milliseconds < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(milliseconds);
      while (!rung && left > 0) {
        try {
          left = bell.awaitNanos(left);
        } catch (InterruptedException e) {
          // has no meaning here, and would close the channels that the thread opens next
        }
      }
      rung = false;
      return false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void ring() {
    lock.lock();
    try {
      rung = true;
      bell.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {}
}

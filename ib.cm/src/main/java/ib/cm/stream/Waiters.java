package ib.cm.stream;

import ib.core.verbs.AnyContext;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** The threads that wait for a change of a stream; they hold its lock, but while they sleep. */
final class Waiters {
  private static final Thread[] NONE = {};

  private final ReentrantLock lock;
  private final AtomicInteger changes = new AtomicInteger();
  private volatile Thread[] waiting = NONE; // written under the lock

  Waiters(ReentrantLock lock) {
    this.lock = lock;
  }

  /** Lets the threads that wait look again. */
  @AnyContext
  void wake() {
    changes.incrementAndGet();
    for (Thread each : waiting) {
      LockSupport.unpark(each);
    }
  }

  /** Lets the threads that wait look again, but the caller, which holds the lock and has looked. */
  void wakeOthers() {
    Thread[] all = waiting;
    if (all.length == 0 || all.length == 1 && all[0].equals(Thread.currentThread())) {
      return;
    }
    wake();
  }

  /** {@return how many changes there were} */
  int changes() {
    return changes.get();
  }

  /** Enters the caller, which looks for something to do next; {@return what {@link #park} needs} */
  int enter() {
    Thread[] more = Arrays.copyOf(waiting, waiting.length + 1);
    more[waiting.length] = Thread.currentThread();
    waiting = more;
    return changes.get();
  }

  /** Removes the caller, which waits no more. */
  void leave() {
    Thread me = Thread.currentThread();
    waiting = Arrays.stream(waiting).filter(t -> !t.equals(me)).toArray(Thread[]::new);
  }

  /**
   * Sleeps, without the lock, until something has changed, or an interrupt.
   *
   * @param seen the changes that the caller knows of
   * @param ns at most so long
   */
  void park(int seen, long ns) {
    lock.unlock();
    try {
      long until = System.nanoTime() + ns;
      long left = ns;
      while (changes.get() == seen && left > 0 && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(this, left);
        left = ns == Long.MAX_VALUE ? ns : until - System.nanoTime();
      }
    } finally {
      lock.lock();
    }
  }
}

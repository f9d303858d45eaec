package ib.verifier.bundles;

import ib.core.verbs.CompHandler;
import ib.core.verbs.CompletionQueue;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Locks, in an order that can deadlock and in one that cannot. Each is run by one thread. */
public final class Locks {
  private Locks() {}

  /** Takes two locks now in one order and now in the other. */
  public static final class Crossed implements Runnable {
    private final ReentrantLock first = new ReentrantLock();
    private final Object second = new Object();

    @Override
    public void run() {
      oneWay();
      otherWay();
    }

    private void oneWay() {
      first.lock();
      try {
        synchronized (second) {
          second.notifyAll();
        }
      } finally {
        first.unlock();
      }
    }

    private void otherWay() {
      synchronized (second) {
        first.lock();
        first.unlock();
      }
    }
  }

  /** Takes two locks always in one order, and one of them again; only tries the other way. */
  public static final class Ordered implements Runnable {
    private final ReentrantLock first = new ReentrantLock();
    private final ReentrantLock second = new ReentrantLock();

    @Override
    public void run() {
      for (int i = 0; i < 2; i++) {
        first.lock();
        second.lock();
        first.lock();
        first.unlock();
        second.unlock();
        first.unlock();
      }
      second.lock();
      if (first.tryLock()) {
        first.unlock();
      }
      second.unlock();
    }
  }

  /** Takes a lock in a handler, and holds the lock while it waits for the handler's end. */
  public static final class AcrossFence implements Runnable, CompHandler {
    private final Object state = new Object();

    @Override
    public void complete(CompletionQueue cq, Object context) {
      synchronized (state) {
        state.notifyAll();
      }
    }

    @Override
    public void run() {
      complete(null, null);
      synchronized (state) {
        close(null);
      }
    }

    static void close(CompletionQueue cq) {
      try {
        cq.close();
      } catch (NullPointerException e) {
        Thread.onSpinWait(); // there is no queue: the order of locks is all that counts
      }
    }
  }

  /** As the other, with a handler that is a lambda expression. */
  public static final class LambdaAcrossFence implements Runnable {
    private final Object state = new Object();

    @Override
    public void run() {
      CompHandler handler =
          (cq, context) -> {
            synchronized (state) {
              state.notifyAll();
            }
          };
      handler.complete(null, null);
      synchronized (state) {
        AcrossFence.close(null);
      }
    }
  }

  /** Takes two locks of a list, which no field names, now in one order and now in the other. */
  public static final class OfList implements Runnable {
    @Override
    public void run() {
      Lock first = new ReentrantLock();
      Lock second = new ReentrantReadWriteLock().writeLock();
      List<Lock> locks = List.of(first, second);
      both(locks.get(0), locks.get(1));
      both(locks.get(1), locks.get(0));
    }

    private static void both(Lock outer, Lock inner) {
      outer.lock();
      inner.lock();
      inner.unlock();
      outer.unlock();
    }
  }

  /** Takes a lock in a handler, and releases the lock before it waits for the handler's end. */
  public static final class BeforeFence implements Runnable, CompHandler {
    private final Object state = new Object();

    @Override
    public void complete(CompletionQueue cq, Object context) {
      synchronized (state) {
        state.notifyAll();
      }
    }

    @Override
    public void run() {
      complete(null, null);
      AcrossFence.close(null);
    }
  }
}

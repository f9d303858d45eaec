package ib.verifier.bundles;

import ib.core.verbs.CompHandler;
import ib.core.verbs.CompletionQueue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Completion handlers, good and bad. The test calls {@code run} as the midlayer calls a handler.
 */
public final class Handlers {
  private Handlers() {}

  /** A handler that the test calls. */
  abstract static class Handler implements CompHandler, Runnable {
    @Override
    public final void run() {
      complete(null, null);
    }
  }

  /** Sleeps. */
  public static final class Sleeps extends Handler {
    @Override
    public void complete(CompletionQueue cq, Object context) {
      try {
        Thread.sleep(0, 1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Takes from a queue. */
  public static final class Takes extends Handler {
    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);

    @Override
    public void complete(CompletionQueue cq, Object context) {
      queue.add("one");
      try {
        queue.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Takes a lock that is free now. */
  public static final class Locks extends Handler {
    private final ReentrantLock lock = new ReentrantLock();

    @Override
    public void complete(CompletionQueue cq, Object context) {
      lock.lock();
      lock.unlock();
    }
  }

  /** Enters a monitor that is free now. */
  public static final class Enters extends Handler {
    private final Object monitor = new Object();

    @Override
    public void complete(CompletionQueue cq, Object context) {
      synchronized (monitor) {
        monitor.notifyAll();
      }
    }
  }

  /** Calls a synchronized method. */
  public static final class Synchronized extends Handler {

    @Override
    public void complete(CompletionQueue cq, Object context) {
      wake();
    }

    private synchronized void wake() {
      notifyAll();
    }
  }

  /** Refers to a method of a queue that may block, and calls it. */
  public static final class Refers extends Handler {
    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);

    @Override
    public void complete(CompletionQueue cq, Object context) {
      queue.add("one");
      Callable<String> take = queue::take;
      try {
        take.call();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Refers to a method of a queue that may block, for another thread. */
  public static final class HandsOver extends Handler {
    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
    private final AtomicReference<Thread> last = new AtomicReference<>();

    @Override
    public void complete(CompletionQueue cq, Object context) {
      queue.add("one");
      Callable<String> take = queue::take;
      FutureTask<String> task = new FutureTask<>(take);
      last.set(Thread.ofPlatform().daemon().start(task));
    }
  }

  /** Tries a lock, and polls a queue. */
  public static final class Tries extends Handler {
    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
    private final ReentrantLock lock = new ReentrantLock();

    @Override
    public void complete(CompletionQueue cq, Object context) {
      queue.offer("one");
      queue.poll();
      if (lock.tryLock()) {
        lock.unlock();
      }
    }
  }
}

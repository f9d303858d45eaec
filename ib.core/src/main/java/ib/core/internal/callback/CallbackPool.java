package ib.core.internal.callback;

import ib.core.client.Incidents;
import ib.core.serial.BoundedWaits;
import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/**
 * Threads on which {@code done} may sleep: a bounded pool for {@code WORKQUEUE}, a virtual thread
 * per run for {@code UNBOUND}. There is one pool per midlayer. Idle threads end after 10 s, except
 * the thread of {@link #handover}.
 */
public final class CallbackPool implements AutoCloseable {
  private static final int MIN_THREADS = 4;
  private static final long KEEP_S = 10;
  private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(5);

  private final Incidents incidents =
      new Incidents("completion handlers", LoggerFactory.getLogger(CallbackPool.class)::error);
  private final Set<Thread> workers = ConcurrentHashMap.newKeySet(); // threads that run a task
  private final ThreadPoolExecutor workqueue;
  private final ThreadFactory unbound;
  private final CompletionVector handover = new CompletionVector("ib-comp-handover");

  /** Makes a pool of two threads per processor, at least four; starts none. */
  public CallbackPool() {
    int threads = Math.max(MIN_THREADS, 2 * Runtime.getRuntime().availableProcessors());
    AtomicInteger number = new AtomicInteger();
    workqueue =
        new ThreadPoolExecutor(
            threads,
            threads,
            KEEP_S,
            TimeUnit.SECONDS,
            // each completion queue has at most one entry
            new LinkedBlockingQueue<>(),
            body -> worker(body, "ib-comp-wq-" + number.getAndIncrement()));
    workqueue.allowCoreThreadTimeOut(true);
    unbound =
        Thread.ofVirtual().name("ib-comp-unb-", 0).inheritInheritableThreadLocals(false).factory();
  }

  private Thread worker(Runnable body, String name) {
    Thread t =
        Thread.ofPlatform()
            .name(name)
            .daemon()
            .inheritInheritableThreadLocals(false)
            .unstarted(() -> work(body));
    t.setContextClassLoader(CallbackPool.class.getClassLoader());
    return t;
  }

  private void work(Runnable body) {
    Thread me = Thread.currentThread();
    workers.add(me); // before any callback runs: a wait for the pool is a wait for this thread
    try {
      body.run();
    } finally {
      workers.remove(me);
    }
  }

  /**
   * {@return the vector of the pool, started: it hands callbacks to the pool's threads and starts
   * other vectors, which the data path must not do}
   */
  @MaySleep
  CompletionVector handover() {
    handover.start();
    return handover;
  }

  /** {@return the vector of {@link #handover}, which runs only after a call of that method} */
  CompletionVector starter() {
    return handover;
  }

  /** Queues a task for the threads of the pool. */
  void workqueue(Runnable body) {
    workqueue.execute(() -> incidents.outlive(body));
  }

  /** Runs a task on a new virtual thread. */
  void unbound(Runnable body) {
    unbound.newThread(() -> incidents.outlive(body)).start();
  }

  /** As {@link #close(Waits)}, for a caller that has no wait-for graph. */
  @Override
  @MaySleep
  @Fence
  public void close() {
    close(new BoundedWaits());
  }

  /**
   * Ends the pool's threads, after all devices are gone. Waits at most 5 s, and not at all if a
   * callback on these threads waits, in the end, for the caller. The close of a completion queue
   * has already reported a callback that does not return.
   *
   * @param waits the wait-for graph of the midlayer
   * @return whether the threads have ended
   */
  @MaySleep
  @Fence
  public End close(Waits waits) {
    handover.close();
    handover.join(waits);
    workqueue.shutdownNow();
    return waits.await(new Ended(this), Waits.Rank.CLOSES, CLOSE_NS);
  }

  /** The end of all threads of the pool. */
  private record Ended(CallbackPool pool) implements Waits.Target {
    @Override
    public boolean over() {
      return pool.workqueue.isTerminated();
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      pool.workers.forEach(to);
    }

    @Override
    public String text() {
      return "the end of the threads of completion handlers";
    }
  }
}

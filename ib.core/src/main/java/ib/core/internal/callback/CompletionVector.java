package ib.core.internal.callback;

import ib.core.client.Incidents;
import ib.core.serial.EndOf;
import ib.core.serial.KeptRuns;
import ib.core.serial.Place;
import ib.core.serial.Serial;
import ib.core.serial.Waits;
import ib.core.verbs.AnyContext;
import ib.core.verbs.MaySleep;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that runs callbacks. The queue of the thread is one word: serials linked newest first,
 * or null, or the mark that the thread sleeps. The thread that replaces the mark by a serial wakes
 * the vector's thread. A hand-over is therefore one compare-and-set, wakes no thread that is awake,
 * and no wake-up gets lost.
 */
public final class CompletionVector implements Place {
  private static final Logger LOG = LoggerFactory.getLogger("ib.core.callback");
  private static final int SPINS = 100;
  private static final long JOIN_NS = TimeUnit.SECONDS.toNanos(5);
  private static final VarHandle HEAD;
  private static final Serial ASLEEP = new Mark();

  static {
    try {
      HEAD = MethodHandles.lookup().findVarHandle(CompletionVector.class, "head", Serial.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Incidents incidents;
  private final ThreadFactory threads;
  private final int spins;
  private final @Nullable Roulette roulette;
  private final @Nullable Serial starting; // runs on another vector, which starts this thread
  private volatile @Nullable Serial head;
  private volatile boolean closed;
  private volatile boolean started;
  private final boolean keeping; // whether a driver's thread may run a task of its own in place

  // written under the monitor; submit reads it after the thread itself has written the mark to head
  private @Nullable Thread thread;

  CompletionVector(String name) {
    this(name, body -> daemon(name, body), SPINS);
  }

  CompletionVector(String name, ThreadFactory threads, int spins) {
    this(name, threads, spins, null);
  }

  /** A vector whose tasks run on the threads and in the order that a roulette chooses. */
  CompletionVector(String name, @Nullable Roulette roulette) {
    this(name, body -> daemon(name, body), SPINS, roulette);
  }

  private CompletionVector(
      String name, ThreadFactory threads, int spins, @Nullable Roulette roulette) {
    this.roulette = roulette;
    this.incidents = new Incidents(name, LOG::error);
    this.threads = threads;
    this.spins = spins;
    this.starting = null;
    this.keeping = roulette == null; // which chooses the threads itself
  }

  /** A vector that has its thread started by another vector when the first task comes. */
  CompletionVector(String name, CompletionVector starter) {
    this.roulette = null;
    this.incidents = new Incidents(name, LOG::error);
    this.threads = body -> daemon(name, body);
    this.spins = SPINS;
    this.starting = new Starting(this, starter);
    this.keeping = false; // of events, whose handlers may take long
  }

  private static Thread daemon(String name, Runnable body) {
    Thread t =
        Thread.ofPlatform()
            .name(name)
            .daemon()
            .inheritInheritableThreadLocals(false)
            .unstarted(body);
    // the class loader of the creating client would keep the client's bundle alive
    t.setContextClassLoader(CompletionVector.class.getClassLoader());
    return t;
  }

  /**
   * Starts the thread unless it runs. The caller adds a task afterwards. When the start throws, the
   * next call tries again.
   */
  @MaySleep
  synchronized void start() {
    if (thread == null && !closed) {
      Thread t = threads.newThread(this::loop);
      thread = t; // before the thread runs, because submit wakes it by this field
      try {
        t.start();
      } catch (Throwable e) { // for example no memory for a thread
        thread = null;
        throw e;
      }
      started = true;
    }
  }

  @Override
  @AnyContext
  public void submit(Serial task) {
    if (keeping && !closed && KeptRuns.take(task)) {
      return;
    }
    Serial h;
    do {
      h = head;
      task.next(isMark(h) ? null : h);
    } while (!HEAD.compareAndSet(this, h, task));
    if (isMark(h)) {
      LockSupport.unpark(thread);
    } else if (!started && starting != null) {
      starting.schedule();
    }
  }

  @SuppressWarnings("ReferenceEquality") // the mark is one object
  private static boolean isMark(@Nullable Serial h) {
    return h == ASLEEP;
  }

  private void loop() {
    while (!closed) {
      Serial newest = (Serial) HEAD.getAndSet(this, null);
      if (newest == null) {
        idle();
      } else {
        runAll(oldestFirst(newest));
      }
    }
  }

  private void idle() {
    for (int i = 0; i < spins; i++) {
      if (head != null) {
        return;
      }
      Thread.onSpinWait();
    }
    if (HEAD.compareAndSet(this, null, ASLEEP)) {
      while (isMark(head) && !closed) {
        LockSupport.park(this);
        Thread.interrupted(); // clears a handler's interrupt, which would keep park() from sleeping
      }
      HEAD.compareAndSet(this, ASLEEP, null);
    }
  }

  private static Serial oldestFirst(Serial newest) {
    Serial oldest = null;
    for (Serial t = newest; t != null; ) {
      Serial older = t.next();
      t.next(oldest);
      oldest = t;
      t = older;
    }
    return Objects.requireNonNull(oldest);
  }

  private void runAll(Serial first) {
    if (roulette != null) {
      roulette.run(first);
      return;
    }
    for (Serial t = first; t != null; ) {
      Serial after = t.next();
      t.next(null); // once the task runs, it may be queued again
      try {
        t.takeTurn();
      } catch (Throwable e) {
        // tasks report the exceptions of handlers: this is a bug of the core, or no memory
        incidents.outlived(e);
      }
      t = after;
    }
  }

  /** Ends the thread. Tasks that wait are not run any more. */
  void close() {
    Thread t;
    synchronized (this) {
      closed = true;
      t = thread;
    }
    LockSupport.unpark(t);
  }

  /** Waits at most 5 s until the thread has ended; a callback may be stuck. */
  boolean join(Waits waits) {
    Thread t;
    synchronized (this) {
      t = thread;
    }
    return t == null
        || Thread.currentThread().equals(t)
        || waits.await(new EndOf(t), Waits.Rank.CLOSES, JOIN_NS).done();
  }

  /** Starts the thread of a vector, in a run on the thread of another vector. */
  private static final class Starting extends Serial {
    private final CompletionVector vector;

    Starting(CompletionVector vector, CompletionVector starter) {
      super(starter);
      this.vector = vector;
    }

    @Override
    protected void call() {
      vector.start();
    }
  }

  /** The type of the mark, which never runs. */
  private static final class Mark extends Serial {
    Mark() {
      super(serial -> {});
    }

    @Override
    protected void call() {}
  }
}

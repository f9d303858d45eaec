package ib.core.internal.callback;

import ib.core.client.Incidents;
import ib.core.serial.EndOf;
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
 * A thread that runs callbacks. Its queue is one word: tasks linked newest first, or nothing, or
 * the mark that the thread sleeps; who replaces the mark wakes the thread. So a hand-over is one
 * compare-and-set and never wakes a thread that is awake, and the wake-up cannot get lost.
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
  private final @Nullable Serial starting; // by another vector
  private volatile @Nullable Serial head;
  private volatile boolean closed;
  private volatile boolean started;
  private @Nullable Thread thread;

  CompletionVector(String name) {
    this(name, body -> daemon(name, body), SPINS);
  }

  CompletionVector(String name, ThreadFactory threads, int spins) {
    this.incidents = new Incidents(name, LOG::error);
    this.threads = threads;
    this.spins = spins;
    this.starting = null;
  }

  /** A vector whose thread another one starts when the first task comes. */
  CompletionVector(String name, CompletionVector starter) {
    this.incidents = new Incidents(name, LOG::error);
    this.threads = body -> daemon(name, body);
    this.spins = SPINS;
    this.starting = new Starting(this, starter);
  }

  private static Thread daemon(String name, Runnable body) {
    Thread t =
        Thread.ofPlatform()
            .name(name)
            .daemon()
            .inheritInheritableThreadLocals(false)
            .unstarted(body);
    // not the creating client's, which would pin its bundle
    t.setContextClassLoader(CompletionVector.class.getClassLoader());
    return t;
  }

  /** Starts the thread if it does not run; before any task is added. */
  @MaySleep
  synchronized void start() {
    if (thread == null && !closed) {
      Thread t = threads.newThread(this::loop);
      thread = t;
      t.start();
      started = true;
    }
  }

  @Override
  @AnyContext
  public void submit(Serial task) {
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
        Thread.interrupted(); // nobody's message: a handler's leftover would keep the thread awake
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
    for (Serial t = first; t != null; ) {
      Serial after = t.next();
      t.next(null); // from its run on it may be queued again
      try {
        t.arrived();
      } catch (
          Throwable e) { // tasks report what handlers throw: this is a bug of ours or no memory
        incidents.outlived(e);
      }
      t = after;
    }
  }

  /** Ends the thread; tasks not dead by now are not run any more. */
  void close() {
    Thread t;
    synchronized (this) {
      closed = true;
      t = thread;
    }
    LockSupport.unpark(t);
  }

  /** Waits until the thread has ended, 5 s at the most: a callback may be stuck. */
  boolean join(Waits waits) {
    Thread t;
    synchronized (this) {
      t = thread;
    }
    return t == null
        || Thread.currentThread().equals(t)
        || waits.await(new EndOf(t), Waits.Rank.CLOSES, JOIN_NS).done();
  }

  /** Starts the thread of a vector on that of another one. */
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

  /** Never runs. */
  private static final class Mark extends Serial {
    Mark() {
      super(serial -> {});
    }

    @Override
    protected void call() {}
  }
}

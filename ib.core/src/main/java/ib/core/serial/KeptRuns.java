package ib.core.serial;

import ib.core.verbs.AnyContext;
import ib.core.verbs.MaySleep;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The runs that a driver's thread has caused and makes itself, once it holds nothing of the driver
 * any more: no handler then waits for another thread to wake up. The thread calls {@link #open}
 * once, {@link #keep} and {@link #close} around what may wake serials up, and {@link #run} when it
 * has given everything back. In between, what is submitted to a completion vector on this thread
 * stays with this thread. Other places take their serials as always.
 *
 * <p>A kept serial is claimed, as one that waits at its place is, so it runs one run at a time, and
 * its fences wait for a run in progress only (S23, S24). A run may last. While the thread is in
 * one, another thread may call {@link #giveUp}, and the runs that have not begun happen at their
 * places.
 */
public final class KeptRuns {
  private static final ThreadLocal<@Nullable KeptRuns> HERE = new ThreadLocal<>();

  // the thread alone adds and takes; giveUp takes all
  private final AtomicReference<@Nullable Serial> oldest = new AtomicReference<>();
  private @Nullable Serial newest; // used by the thread only, while it keeps
  private boolean keeps; // used by the thread only

  /** Keeps nothing yet. */
  public KeptRuns() {}

  /** The calling thread is the one that will keep its runs. */
  @AnyContext
  public void open() {
    HERE.set(this);
  }

  /** The calling thread keeps its runs until {@link #close}. */
  @AnyContext
  public void keep() {
    keeps = true;
  }

  /** The runs that the calling thread causes happen at their places again. */
  @AnyContext
  public void close() {
    keeps = false;
  }

  /**
   * Keeps a claimed serial, if the calling thread keeps its runs. Allocates nothing.
   *
   * @param serial a claimed serial, which is at no place
   * @return whether the serial is kept; else the caller takes it to its place
   */
  @AnyContext
  public static boolean take(Serial serial) {
    KeptRuns here = HERE.get();
    if (here == null || !here.keeps) {
      return false;
    }
    here.add(serial);
    return true;
  }

  private void add(Serial serial) {
    serial.next(null);
    Serial last = newest;
    if (last == null || oldest.get() == null) {
      oldest.set(serial);
    } else {
      last.next(serial);
    }
    newest = serial;
  }

  /** {@return whether there are runs to make} Only the thread that keeps them may call. */
  @AnyContext
  public boolean isEmpty() {
    return oldest.get() == null;
  }

  /**
   * Makes the runs, oldest first, unless another thread calls {@link #giveUp} meanwhile. Only the
   * thread that keeps them may call, and it holds nothing that a handler may need.
   */
  @MaySleep
  public void run() {
    for (Serial serial = next(); serial != null; serial = next()) {
      serial.takeTurn();
    }
  }

  /** Takes the oldest. Only this thread adds, so the oldest is the same only if all are there. */
  private @Nullable Serial next() {
    Serial first = oldest.get();
    while (first != null && !oldest.compareAndSet(first, first.next())) {
      first = oldest.get(); // the runs were given up meanwhile
    }
    if (first != null) {
      first.next(null); // once the serial runs, it may be at a place again
    }
    return first;
  }

  /**
   * Takes the runs that have not begun to their places. The thread that keeps them calls this
   * outside of {@link #run}; another thread while that thread is inside one run and keeps no more.
   */
  @AnyContext
  public void giveUp() {
    for (Serial serial = oldest.getAndSet(null); serial != null; ) {
      Serial after = serial.next();
      serial.next(null);
      serial.submit();
      serial = after;
    }
  }
}

package ib.core.serial;

import ib.core.verbs.AnyContext;
import ib.core.verbs.Fence;
import ib.core.verbs.MaySleep;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Code that runs one run at a time, on any thread. At least one run begins after each wake-up (S23,
 * S24).
 *
 * <p>The state is one word. A wake-up sets PENDING and CLAIMED in one atomic step; the thread that
 * set CLAIMED submits the serial to the serial's {@link Place}, once. A run clears PENDING before
 * it calls {@link #call}, so the run sees everything that was written before the wake-ups that it
 * answers. When PENDING is set again afterwards, the run submits the serial again instead of
 * releasing the claim, so that other serials of the place get their turn. After CLOSED is set no
 * run begins. Each run has a number, so that a fence waits for the run in progress and for no later
 * one.
 *
 * <p>Every method except {@link #fence} and those that call {@link #call} may be called from any
 * context. These methods allocate nothing, unless the place allocates.
 */
public abstract class Serial {
  private static final long PENDING = 1;
  private static final long CLAIMED = 2;
  private static final long RUNNING = 4;
  private static final long CLOSED = 8;
  private static final long ONE_RUN = 0x100; // the bits from here on are the number of the run
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Serial.class, "state", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The result of {@link #runHere}. */
  public enum Here {
    /** The run has happened on the calling thread. */
    RAN,
    /** The serial waits at its place already, where the run will happen. */
    QUEUED,
    /** A run is in progress, and another one will follow. */
    BUSY,
    /** The serial is closed. */
    CLOSED
  }

  private final Place place;

  @SuppressWarnings("UnusedVariable") // written through STATE
  private volatile long state;

  private volatile @Nullable Thread runner; // written after RUNNING is set, cleared before
  private @Nullable Serial next;

  /**
   * Makes an idle serial.
   *
   * @param place where the runs of the serial happen
   */
  protected Serial(Place place) {
    this.place = place;
  }

  /** One run: a bounded portion of the work. */
  protected abstract void call();

  /**
   * Handles an exception of {@link #call}, or of the place, which has then not taken the serial;
   * the next wake-up submits the serial again. This method logs the exception unless a subclass
   * overrides it.
   *
   * @param thrown the exception
   */
  protected void failed(Throwable thrown) {
    LoggerFactory.getLogger("ib.core.serial").error("{} failed", this, thrown);
  }

  /** {@return the result of the run that is just ending, for the caller of {@link #run}} */
  protected int outcome() {
    return 0;
  }

  /**
   * Runs the claimed serial, or submits it to another place. Only the serial's place calls this
   * method, which may sleep as far as {@link #call} may.
   */
  public void arrived() {
    run();
  }

  /**
   * Calls {@link #arrived} on a thread that runs one serial after the other. What interrupts the
   * thread meanwhile is meant for this serial: the next one does not see it (S25).
   */
  @MaySleep
  public final void takeTurn() {
    try {
      arrived();
    } finally {
      Thread.interrupted();
    }
  }

  /** For the place that holds the serial: {@return the next serial of the place} */
  @AnyContext
  public final @Nullable Serial next() {
    return next;
  }

  /**
   * Links the serial to the next one. Only the place that holds the serial calls this method.
   *
   * @param following the next serial of the place, or null
   */
  @AnyContext
  public final void next(@Nullable Serial following) {
    next = following;
  }

  /** Wakes the serial up: at least one run begins after this, unless the serial is closed. */
  @AnyContext
  public final void schedule() {
    long before = wake();
    if ((before & (CLAIMED | CLOSED)) == 0) {
      submit();
    }
  }

  /**
   * {@return the state before; the state is written even if nothing changed, so that the next run
   * sees the caller's writes (E2)}
   */
  private long wake() {
    for (; ; ) {
      long s = state;
      if ((s & CLOSED) != 0 || STATE.compareAndSet(this, s, s | PENDING | CLAIMED)) {
        return s;
      }
    }
  }

  /** Submits the claimed serial to its place. */
  void submit() {
    submit(place);
  }

  /**
   * Submits the claimed serial to a place. When that throws, the next wake-up submits the serial
   * again. Only {@link #arrived} calls this method, with another place than its own.
   *
   * @param to the place where the run happens
   */
  @AnyContext
  protected final void submit(Place to) {
    try {
      to.submit(this);
    } catch (Throwable t) { // for example no memory for a thread
      STATE.getAndBitwiseAnd(this, ~CLAIMED);
      failed(t);
    }
  }

  /**
   * Runs the serial on the calling thread if no place holds it. The calling thread may sleep in
   * here as far as {@link #call} may.
   *
   * @return what happened
   */
  public final Here runHere() {
    long before = wake();
    if ((before & CLOSED) != 0) {
      return Here.CLOSED;
    }
    if ((before & CLAIMED) == 0) {
      run();
      return Here.RAN;
    }
    return (before & RUNNING) != 0 ? Here.BUSY : Here.QUEUED;
  }

  /**
   * Claims an idle serial for a call of {@link #run}; {@return whether the caller has the claim}
   */
  @AnyContext
  public final boolean claim() {
    for (; ; ) {
      long s = state;
      if ((s & (PENDING | CLAIMED | CLOSED)) != 0) {
        return false;
      }
      if (STATE.compareAndSet(this, s, s | CLAIMED)) {
        return true;
      }
    }
  }

  /** Requests another run. Only {@link #call} and {@link #failed} call this method. */
  @AnyContext
  protected final void again() {
    STATE.getAndBitwiseOr(this, PENDING);
  }

  /**
   * Runs the serial once. Only the place or thread that holds the claim calls this method, which
   * may sleep as far as {@link #call} may.
   *
   * @return the run's outcome, 0 when the serial is closed
   */
  public final int run() {
    if (!begin()) {
      return 0;
    }
    int outcome = 0;
    try {
      runner = Thread.currentThread();
      call();
      outcome = outcome();
    } catch (Throwable t) {
      failed(t);
    } finally {
      runner = null;
      if (end()) {
        submit();
      }
    }
    return outcome;
  }

  private boolean begin() {
    for (; ; ) {
      long s = state;
      boolean closed = (s & CLOSED) != 0;
      long after = closed ? s & ~(PENDING | CLAIMED) : ((s & ~PENDING) | RUNNING) + ONE_RUN;
      if (STATE.compareAndSet(this, s, after)) {
        return !closed;
      }
    }
  }

  /** Releases the claim; {@return whether the claim is kept instead, for another run} */
  private boolean end() {
    for (; ; ) {
      long s = state;
      boolean more = (s & (PENDING | CLOSED)) == PENDING;
      long after = more ? s & ~RUNNING : s & ~(PENDING | CLAIMED | RUNNING);
      if (STATE.compareAndSet(this, s, after)) {
        return more;
      }
    }
  }

  /** Closes the serial: no run begins any more. A run in progress goes on. */
  @AnyContext
  public final void close() {
    STATE.getAndBitwiseOr(this, CLOSED);
  }

  /** Opens the serial, so that wake-ups count again; {@return whether it was closed} */
  @AnyContext
  protected final boolean open() {
    return ((long) STATE.getAndBitwiseAnd(this, ~CLOSED) & CLOSED) != 0;
  }

  /** {@return whether the serial is closed} */
  @AnyContext
  public final boolean isClosed() {
    return (state & CLOSED) != 0;
  }

  /** {@return whether the serial is closed and no run is in progress, so that none will follow} */
  @AnyContext
  public final boolean hasEnded() {
    return (state & (CLOSED | RUNNING)) == CLOSED;
  }

  /** {@return the thread that is in a run at this moment, or null} */
  @AnyContext
  public final @Nullable Thread runner() {
    return runner;
  }

  /** {@return whether the caller is inside a run} */
  @AnyContext
  public final boolean isInside() {
    return Thread.currentThread().equals(runner);
  }

  /**
   * Waits until the run in progress has ended. After {@link #close} no other run follows, however
   * the wait ends.
   *
   * @param waits the graph into which the wait is entered
   * @param rank when the wait is refused in favour of others
   * @param what the name of the serial, for reports
   * @param limitNs how long to wait at most, in nanoseconds
   * @return how the wait ended
   */
  @MaySleep
  @Fence
  public final End fence(Waits waits, Waits.Rank rank, String what, long limitNs) {
    long s = state;
    return (s & RUNNING) == 0 ? End.DONE : waits.await(new Run(this, s, what), rank, limitNs);
  }

  /**
   * Returns a target for a wait for the run in progress.
   *
   * @param what the name of the serial, for reports
   * @return a target that is over when that run has ended
   */
  @AnyContext
  public final Waits.Target currentRun(String what) {
    return new Run(this, state, what);
  }

  /** One run, by a state that holds its number: the run in progress then, or the last one. */
  private record Run(Serial serial, long number, String what) implements Waits.Target {
    private boolean isOn() {
      long s = serial.state;
      return (s & RUNNING) != 0 && s / ONE_RUN == number / ONE_RUN;
    }

    @Override
    public boolean over() {
      return !isOn();
    }

    @Override
    public void holders(Consumer<? super Thread> to) {
      Thread t = serial.runner; // read first: if the run is still on, the thread is in that run
      if (t != null && isOn()) {
        to.accept(t);
      }
    }

    @Override
    public String text() {
      return "the callback of " + what;
    }
  }
}

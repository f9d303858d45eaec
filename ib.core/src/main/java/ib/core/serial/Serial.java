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
 * Code that runs one run at a time, on whatever thread, and once more after the last wake-up (S23,
 * S24).
 *
 * <p>The state is one word. A wake-up sets PENDING and CLAIMED in one atomic step; the thread that
 * set CLAIMED submits the serial to its {@link Place}, once. A run removes PENDING before it calls,
 * so it sees everything that was written before the wake-ups that it answers. When PENDING is set
 * again afterwards, the run submits the serial again instead of giving the claim back, so that
 * other serials of the place get their turn. CLOSED ends it: no run begins. Each run has a number,
 * so that a fence waits for the run that it met and for no later one.
 *
 * <p>Every method but {@link #fence} may be called from any context and allocates nothing, as far
 * as the place does not.
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

  /** What became of a run that was to happen on the caller's own thread. */
  public enum Here {
    /** The run has happened. */
    RAN,
    /** A run will happen: the serial waits at its place already. */
    QUEUED,
    /** A run is on at this moment, and another one will follow. */
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
   * A serial that has nothing to do yet.
   *
   * @param place where its runs happen
   */
  protected Serial(Place place) {
    this.place = place;
  }

  /** One run: a bounded portion of the work. */
  protected abstract void call();

  /**
   * Hears what {@link #call} threw, or that the place has refused the serial; then the next wake-up
   * tries again. Logs by default.
   *
   * @param thrown what was thrown
   */
  protected void failed(Throwable thrown) {
    LoggerFactory.getLogger("ib.core.serial").error("{} failed", this, thrown);
  }

  /** {@return what the run that is just ending has to tell the caller of {@link #run}} */
  protected int outcome() {
    return 0;
  }

  /** For places: the claimed serial's turn has come. Runs, or goes on to another place. */
  @AnyContext
  public void arrived() {
    run();
  }

  /** For the place that has the serial: {@return the serial that follows it there} */
  @AnyContext
  public final @Nullable Serial next() {
    return next;
  }

  /**
   * For the place that has the serial: links it.
   *
   * @param following the serial that follows it there, or null
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

  /** {@return the state before; it was written even if nothing changed, for the run's sake (E2)} */
  private long wake() {
    for (; ; ) {
      long s = state;
      if ((s & CLOSED) != 0 || STATE.compareAndSet(this, s, s | PENDING | CLAIMED)) {
        return s;
      }
    }
  }

  private void submit() {
    try {
      place.submit(this);
    } catch (Throwable t) { // for example no memory for a thread
      STATE.getAndBitwiseAnd(this, ~CLAIMED);
      failed(t);
    }
  }

  /** {@return what became of a run on the calling thread, if no other thread has the serial} */
  @AnyContext
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

  /** {@return whether the caller has the claim now, which it uses with {@link #run}} */
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

  /** For a run: asks for another one. */
  @AnyContext
  protected final void again() {
    STATE.getAndBitwiseOr(this, PENDING);
  }

  /** For places: runs the claimed serial once; {@return the run's outcome, 0 when it is closed} */
  @AnyContext
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

  /** Gives the claim back, or keeps it for another run. */
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

  /** No run begins any more; a run that is on goes on. */
  @AnyContext
  public final void close() {
    STATE.getAndBitwiseOr(this, CLOSED);
  }

  /** {@return whether the serial was closed; it is open now, and wake-ups count again} */
  @AnyContext
  protected final boolean open() {
    return ((long) STATE.getAndBitwiseAnd(this, ~CLOSED) & CLOSED) != 0;
  }

  /** {@return whether the serial is closed} */
  @AnyContext
  public final boolean isClosed() {
    return (state & CLOSED) != 0;
  }

  /** {@return whether the serial is closed and no run is on, so that none will be} */
  @AnyContext
  public final boolean hasEnded() {
    return (state & (CLOSED | RUNNING)) == CLOSED;
  }

  /** {@return the thread that is in a run at this moment} */
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
   * Waits until the run that is on has ended. After {@link #close} no other one follows, however
   * the wait ends.
   *
   * @param waits the graph that the wait is entered into
   * @param rank when the wait is given up
   * @param what what runs, for reports
   * @param limitNs how long at the most, nanoseconds
   * @return how the wait ended
   */
  @MaySleep
  @Fence
  public final End fence(Waits waits, Waits.Rank rank, String what, long limitNs) {
    long s = state;
    return (s & RUNNING) == 0 ? End.DONE : waits.await(new Run(this, s, what), rank, limitNs);
  }

  /**
   * The run that is on, or none.
   *
   * @param what what runs, for reports
   * @return a target that is over when that run has ended
   */
  @AnyContext
  public final Waits.Target currentRun(String what) {
    return new Run(this, state, what);
  }

  /** One run; the number is that of a state in which it is on, or was the last one. */
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
      Thread t = serial.runner; // read first: while the run is on afterwards, it is that run's
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

package ib.core.client;

import ib.core.verbs.AnyContext;
import ib.core.verbs.MaySleep;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counts, by reason, the inputs that one part of the software has refused and the exceptions that
 * it has survived, and reports them in at most one log line a minute, with the source of the last
 * one. The line has no stack trace, because a remote attacker may cause incidents as often as it
 * likes.
 *
 * <p>A thread that serves several peers runs each of its steps by {@link #serve}: an exception of a
 * step is an incident, and the thread goes on.
 */
public final class Incidents {
  private static final long QUIET_NS = TimeUnit.MINUTES.toNanos(1);
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int MAX_REASONS = 256;
  private static final int MAX_TEXT = 200;
  private static final String OTHER = "other reasons";

  private final String where;
  private final Consumer<String> lines;
  private final LongSupplier clock;
  private final ConcurrentMap<String, AtomicLong> counts = new ConcurrentHashMap<>();
  private final AtomicLong total = new AtomicLong();
  private final AtomicLong outlived = new AtomicLong();
  private final AtomicLong untold = new AtomicLong(); // since the last line
  private final AtomicLong nextNs;

  /**
   * Nothing has happened yet.
   *
   * @param where which part of the software, with which each line begins
   * @param lines takes a line for the log
   */
  public Incidents(String where, Consumer<String> lines) {
    this(where, lines, System::nanoTime);
  }

  /**
   * Makes the counter of one part of the software, with a clock of its own, for tests.
   *
   * @param where which part of the software, with which each line begins
   * @param lines takes a line for the log
   * @param clock nanoseconds
   */
  public Incidents(String where, Consumer<String> lines, LongSupplier clock) {
    this.where = where;
    this.lines = lines;
    this.clock = clock;
    this.nextNs = new AtomicLong(clock.getAsLong());
  }

  /**
   * Something was refused.
   *
   * @param reason why, one of a few texts: each has a count of its own
   * @param source who brought it about, asked only when there is a line
   */
  @AnyContext
  public void refused(String reason, Supplier<String> source) {
    add(reason);
    tell(() -> "refused: " + reason + ", from " + source.get());
  }

  /**
   * Runs one turn of a thread that serves many, as {@link #outlive}. When it threw, the caller
   * waits 10 ms, so that what fails again and again does not use a processor up.
   *
   * @param turn what to do
   * @return whether it threw nothing
   */
  @MaySleep
  public boolean serve(Runnable turn) {
    boolean good = outlive(turn);
    if (!good) {
      LockSupport.parkNanos(PAUSE_NS);
    }
    return good;
  }

  /**
   * Runs one step of a thread that serves several peers. An exception of the step is counted and
   * reported, and the thread serves the next peer.
   *
   * @param step what to do
   * @return whether it threw nothing
   */
  public boolean outlive(Runnable step) {
    try {
      step.run();
      return true;
    } catch (Throwable e) { // an OutOfMemoryError, too
      outlived(e);
      return false;
    }
  }

  /**
   * Counts and reports an unexpected exception, after which the calling thread goes on.
   *
   * @param thrown the exception
   */
  @AnyContext
  public void outlived(Throwable thrown) {
    outlived.getAndIncrement();
    try {
      String reason = reason(thrown);
      add(reason);
      tell(() -> "outlived: " + reason + ": " + thrown.getMessage());
    } catch (Throwable again) { // no memory for a text: the count is all there is
      total.getAndIncrement();
    }
  }

  /** The type, and the place in our own code. */
  private static String reason(Throwable thrown) {
    String at = "";
    for (StackTraceElement e : thrown.getStackTrace()) {
      if (at.isEmpty() && e.getClassName().startsWith("ib.")) {
        at = " at " + e;
      }
    }
    return thrown.getClass().getName() + at;
  }

  private void add(String reason) {
    total.getAndIncrement();
    AtomicLong count = counts.get(reason);
    if (count == null) {
      String name = counts.size() < MAX_REASONS ? reason : OTHER;
      count = counts.computeIfAbsent(name, k -> new AtomicLong());
    }
    count.getAndIncrement();
  }

  private void tell(Supplier<String> what) {
    long now = clock.getAsLong();
    long next = nextNs.get();
    long before = untold.getAndIncrement();
    if (now - next < 0 || !nextNs.compareAndSet(next, now + QUIET_NS)) {
      return;
    }
    untold.set(0);
    try {
      String more = before == 0 ? "" : " (and " + before + " more since the line before this)";
      lines.accept(printable(where + " " + what.get()) + more);
    } catch (Throwable e) { // no memory for a line, or the log fails: the count is all there is
      untold.getAndIncrement();
    }
  }

  /** A stranger's text does not make lines of its own. */
  private static String printable(String text) {
    String clean = text.replaceAll("\\p{Cntrl}", "?");
    return clean.length() <= MAX_TEXT ? clean : clean.substring(0, MAX_TEXT) + "...";
  }

  /** {@return how many there were, refused and outlived} */
  @AnyContext
  public long total() {
    return total.get();
  }

  /** {@return the number of unexpected exceptions so far} */
  @AnyContext
  public long outlived() {
    return outlived.get();
  }

  /**
   * How often something was refused.
   *
   * @param reason as it was given
   * @return the count
   */
  @AnyContext
  public long refused(String reason) {
    AtomicLong count = counts.get(reason);
    return count == null ? 0 : count.get();
  }

  /** {@return all reasons with their counts, by name} */
  public Map<String, Long> counts() {
    Map<String, Long> all = new TreeMap<>();
    counts.forEach((reason, count) -> all.put(reason, count.get()));
    return all;
  }
}

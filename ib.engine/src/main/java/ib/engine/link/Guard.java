package ib.engine.link;

import ib.engine.run.Worker;
import ib.engine.wire.Epoch;
import ib.engine.wire.Packet;
import ib.engine.wire.Wire;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts, for each source, packets that no correct peer sends, and mutes a source that sends too
 * many. A source address can be forged. So a packet of a muted source is still accepted if it fits
 * its queue pair. Only a wrong rkey in a request that fits its connection proves its source; then
 * every packet of the source is dropped. The table has a fixed size and is found by hash; a new
 * source replaces the oldest. Data path, any thread, never blocks: a thread takes the table by one
 * CAS, and does not count the violation while another thread has it. Packets are checked only while
 * a source is muted.
 */
public final class Guard {
  /** The source of a packet is not muted. */
  public static final int ADMITTED = 0;

  /** The source is muted: the packet is accepted only if it fits its queue pair. */
  static final int IF_IT_FITS = 1;

  /** The source is muted wholly: none of its packets is accepted. */
  public static final int MUTED = 2;

  private static final int PLACES = 1024;
  private static final int PROBES = 8; // places that a source may have
  private static final int NOBODY = -1;
  private static final int MAX_COUNT = 0xffff; // of PortInfo's 16 bits (IBA 14.2.5.6)
  private static final VarHandle TAKEN;

  static {
    try {
      TAKEN = MethodHandles.lookup().findVarHandle(Guard.class, "taken", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile GuardLimits limits = GuardLimits.OFF;
  private final AtomicInteger badPkeys = new AtomicInteger();
  private final AtomicInteger badQkeys = new AtomicInteger();
  private final Worker clock;
  private final Wire wire;
  private final Runnable alarm;
  private final Epoch epoch;
  private final long startNs;

  @SuppressWarnings("unused") // used through TAKEN
  private boolean taken;

  private int mutedPlaces; // under the token
  private volatile boolean muting; // whether there are any
  private final long[] high = new long[PLACES];
  private final long[] low = new long[PLACES];
  private final int[] violations = new int[PLACES];
  private final int[] proven = new int[PLACES]; // of them, those that show who sent them
  private final long[] violationsSince = new long[PLACES];
  private final int[] probes = new int[PLACES];
  private final long[] probesSince = new long[PLACES];
  private final long[] mutedUntil = new long[PLACES]; // 0: not muted
  private final boolean[] mutedWholly = new boolean[PLACES];
  private final long[] used = new long[PLACES]; // when, 0: free

  /**
   * Makes a guard without limits, which mutes no source.
   *
   * @param clock the device's clock
   * @param wire notified of wrong keys
   * @param epoch counts that the port begins or ends to mute sources
   * @param alarm called when a source is muted; must not block
   */
  public Guard(Worker clock, Wire wire, Epoch epoch, Runnable alarm) {
    this.clock = clock;
    this.wire = wire;
    this.alarm = alarm;
    this.epoch = epoch;
    this.startNs = clock.now() - 1; // so that the times in the table are not 0
  }

  /**
   * Sets how many violations of one source are tolerated; forgets all counts and unmutes all
   * sources. Control path.
   */
  public void limits(GuardLimits changed) {
    while (!take()) {
      Thread.onSpinWait(); // a few stores
    }
    Arrays.fill(used, 0);
    Arrays.fill(mutedUntil, 0);
    Arrays.fill(mutedWholly, false);
    Arrays.fill(proven, 0);
    count(-mutedPlaces);
    limits = changed;
    release(false);
  }

  public int badPkeys() {
    return Math.min(MAX_COUNT, badPkeys.get());
  }

  public int badQkeys() {
    return Math.min(MAX_COUNT, badQkeys.get());
  }

  public void resetBadQkeys() {
    badQkeys.set(0);
  }

  /** Counts and reports a packet whose P_Key does not match. */
  public void badPkey(Packet p) {
    count(badPkeys);
    wire.keyViolation(p, true);
    violation(p);
  }

  /** Counts and reports a packet whose Q_Key does not match. */
  public void badQkey(Packet p) {
    count(badQkeys);
    wire.keyViolation(p, false);
    violation(p);
  }

  private static void count(AtomicInteger sticky) {
    if (sticky.get() < MAX_COUNT) {
      sticky.getAndIncrement();
    }
  }

  private static long high(Packet p) {
    return p.global ? p.sgidHigh : 0;
  }

  private static long low(Packet p) {
    return p.global ? p.sgidLow : p.slid;
  }

  /** {@return whether any source is muted} */
  public boolean muting() {
    return muting;
  }

  /**
   * How a packet's source stands. Reads only one field while no source is muted.
   *
   * @return {@link #ADMITTED}, {@link #IF_IT_FITS} or {@link #MUTED}
   */
  public int standing(Packet p) {
    int i = muting ? muted(high(p), low(p)) : NOBODY;
    return i == NOBODY ? ADMITTED : mutedWholly[i] ? MUTED : IF_IT_FITS;
  }

  /** Whether a source is muted now. */
  public boolean mutes(long sourceHigh, long sourceLow) {
    return muting && muted(sourceHigh, sourceLow) != NOBODY;
  }

  /** The place of a source if it is muted now. */
  private int muted(long sourceHigh, long sourceLow) {
    long now = clock.now() - startNs;
    int first = hash(sourceHigh, sourceLow);
    for (int n = 0; n < PROBES; n++) {
      int i = first + n & PLACES - 1;
      if (high[i] == sourceHigh && low[i] == sourceLow && used[i] != 0) {
        boolean still = mutedUntil[i] != 0 && (mutedUntil[i] - now > 0 || !unmute(i));
        return still ? i : NOBODY;
      }
    }
    return NOBODY;
  }

  /** Counts a packet that no correct peer sends; its source address may be forged. */
  public void violation(Packet p) {
    violation(p, 0);
  }

  /**
   * Counts a packet that no correct peer sends and that fits its connection, so its source address
   * is true.
   */
  public void provenViolation(Packet p) {
    violation(p, 1);
  }

  private void violation(Packet p, int ofSource) {
    if (limits.violations() == 0 || !take()) {
      return;
    }
    long now = clock.now() - startNs;
    int i = place(high(p), low(p), now);
    if (now - violationsSince[i] > limits.windowNs()) {
      violationsSince[i] = now;
      violations[i] = 0;
      proven[i] = 0;
    }
    proven[i] += ofSource;
    violations[i]++;
    if (proven[i] > limits.violations()) {
      release(mute(i, now, true));
    } else {
      release(violations[i] > limits.violations() && mute(i, now, false));
    }
  }

  /**
   * Counts a packet for a queue pair that does not exist, and mutes a source that sends too many.
   */
  public void probe(Packet p) {
    if (limits.probes() == 0 || !take()) {
      return;
    }
    long now = clock.now() - startNs;
    int i = place(high(p), low(p), now);
    if (now - probesSince[i] > GuardLimits.PROBES_NS) {
      probesSince[i] = now;
      probes[i] = 0;
    }
    release(++probes[i] > limits.probes() && mute(i, now, false));
  }

  private boolean take() {
    return TAKEN.compareAndSet(this, false, true);
  }

  private void release(boolean alarmed) {
    TAKEN.setRelease(this, false);
    if (alarmed) {
      alarm.run();
    }
  }

  /** Whether that is new. */
  private boolean mute(int i, long now, boolean wholly) {
    boolean before = mutedUntil[i] != 0;
    boolean more = wholly && !mutedWholly[i];
    mutedUntil[i] = now + limits.muteNs();
    mutedWholly[i] |= wholly;
    violations[i] = 0;
    probes[i] = 0;
    if (!before) {
      count(1);
    }
    return !before || more;
  }

  private void count(int places) {
    mutedPlaces += places;
    boolean any = mutedPlaces > 0;
    if (any != muting) {
      muting = any;
      epoch.changed();
    }
  }

  /**
   * Unmutes a source whose time is over; false while another thread has the table, then the next
   * packet unmutes it.
   */
  private boolean unmute(int i) {
    if (!take()) {
      return false;
    }
    if (mutedUntil[i] != 0) {
      mutedUntil[i] = 0;
      mutedWholly[i] = false;
      proven[i] = 0;
      count(-1);
    }
    release(false);
    return true;
  }

  /** The place of a source: its own, or a free one, or the oldest's. */
  private int place(long sourceHigh, long sourceLow, long now) {
    int first = hash(sourceHigh, sourceLow);
    int oldest = first;
    for (int n = 0; n < PROBES; n++) {
      int i = first + n & PLACES - 1;
      if (used[i] != 0 && high[i] == sourceHigh && low[i] == sourceLow) {
        used[i] = now;
        return i;
      }
      if (used[i] < used[oldest]) {
        oldest = i;
      }
    }
    if (mutedUntil[oldest] != 0) {
      mutedUntil[oldest] = 0;
      count(-1);
    }
    mutedWholly[oldest] = false;
    proven[oldest] = 0;
    high[oldest] = sourceHigh;
    low[oldest] = sourceLow;
    violations[oldest] = 0;
    probes[oldest] = 0;
    violationsSince[oldest] = now;
    probesSince[oldest] = now;
    used[oldest] = now;
    return oldest;
  }

  private static int hash(long a, long b) {
    long h = (a * 31 + b) * 0x9e3779b97f4a7c15L;
    return (int) (h >>> 54);
  }
}

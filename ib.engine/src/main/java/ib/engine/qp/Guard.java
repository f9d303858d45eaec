package ib.engine.qp;

import ib.engine.wire.Packet;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who has sent a port what nobody should send, and who is not heard for a while because of that. A
 * table of fixed size, found by hash: under attack by more sources than it holds the oldest are
 * forgotten. Data path, any thread: whoever notes a violation takes the table by one CAS, and when
 * another has it at this moment the violation counts for nothing, so nobody waits. Who is heard is
 * looked up only while somebody is muted.
 */
final class Guard {
  private static final int PLACES = 1024;
  private static final int PROBES = 8; // places that a source may have
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
  private final Runnable alarm;
  private final long startNs;

  @SuppressWarnings("unused") // used through TAKEN
  private boolean taken;

  private int mutedPlaces; // under the token
  private volatile boolean muting; // whether there are any
  private final long[] high = new long[PLACES];
  private final long[] low = new long[PLACES];
  private final int[] violations = new int[PLACES];
  private final long[] violationsSince = new long[PLACES];
  private final int[] probes = new int[PLACES];
  private final long[] probesSince = new long[PLACES];
  private final long[] mutedUntil = new long[PLACES]; // 0: not muted
  private final long[] used = new long[PLACES]; // when, 0: free

  /**
   * Makes one that bears everything.
   *
   * @param clock who knows the time
   * @param alarm called when a source is muted; must not block
   */
  Guard(Worker clock, Runnable alarm) {
    this.clock = clock;
    this.alarm = alarm;
    this.startNs = clock.now() - 1; // so that the times in the table are not 0
  }

  /** Sets what is borne, and forgets everybody; control path. */
  void limits(GuardLimits changed) {
    while (!take()) {
      Thread.onSpinWait(); // a few stores
    }
    Arrays.fill(used, 0);
    Arrays.fill(mutedUntil, 0);
    count(-mutedPlaces);
    limits = changed;
    release(false);
  }

  int badPkeys() {
    return badPkeys.get();
  }

  int badQkeys() {
    return badQkeys.get();
  }

  void resetBadQkeys() {
    badQkeys.set(0);
  }

  /** A packet's P_Key does not fit. */
  void badPkey(Packet p) {
    badPkeys.getAndIncrement();
    violation(p);
  }

  /** A packet's Q_Key does not fit. */
  void badQkey(Packet p) {
    badQkeys.getAndIncrement();
    violation(p);
  }

  private static long high(Packet p) {
    return p.global ? p.sgidHigh : 0;
  }

  private static long low(Packet p) {
    return p.global ? p.sgidLow : p.slid;
  }

  /** {@return whether anybody is muted} */
  boolean muting() {
    return muting;
  }

  /** Whether the source of a packet is not heard now; costs a look at one field otherwise. */
  boolean mutes(Packet p) {
    return muting && mutes(high(p), low(p));
  }

  /** Whether a source is not heard now. */
  boolean mutes(long sourceHigh, long sourceLow) {
    if (!muting) {
      return false;
    }
    long now = clock.now() - startNs;
    int first = hash(sourceHigh, sourceLow);
    for (int n = 0; n < PROBES; n++) {
      int i = first + n & PLACES - 1;
      if (high[i] == sourceHigh && low[i] == sourceLow && used[i] != 0) {
        return mutedUntil[i] != 0 && (mutedUntil[i] - now > 0 || !unmute(i));
      }
    }
    return false;
  }

  /** A packet is one that only a mistake or a guess brings. */
  void violation(Packet p) {
    if (limits.violations() == 0 || !take()) {
      return;
    }
    long now = clock.now() - startNs;
    int i = place(high(p), low(p), now);
    if (now - violationsSince[i] > limits.windowNs()) {
      violationsSince[i] = now;
      violations[i] = 0;
    }
    release(++violations[i] > limits.violations() && mute(i, now));
  }

  /** A packet is for a queue pair that does not exist. */
  void probe(Packet p) {
    if (limits.probes() == 0 || !take()) {
      return;
    }
    long now = clock.now() - startNs;
    int i = place(high(p), low(p), now);
    if (now - probesSince[i] > GuardLimits.PROBES_NS) {
      probesSince[i] = now;
      probes[i] = 0;
    }
    release(++probes[i] > limits.probes() && mute(i, now));
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

  private boolean mute(int i, long now) {
    boolean before = mutedUntil[i] != 0;
    mutedUntil[i] = now + limits.muteNs();
    violations[i] = 0;
    probes[i] = 0;
    if (!before) {
      count(1);
    }
    return true;
  }

  private void count(int places) {
    mutedPlaces += places;
    muting = mutedPlaces > 0;
  }

  /**
   * Its time is over; false when another has the table, then it is heard from the next packet on.
   */
  private boolean unmute(int i) {
    if (!take()) {
      return false;
    }
    if (mutedUntil[i] != 0) {
      mutedUntil[i] = 0;
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

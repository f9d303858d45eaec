package ib.driver.rxe.udp;

import ib.core.verbs.Gid;
import ib.core.wire.DropReason;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Counts datagrams that are no packets, failures of this driver while receiving, and failed
 * memberships in groups. Any thread may count, without blocking or allocating. One thread reports
 * the counts, in at most one line per minute, so that no peer can fill the log.
 */
final class RefusedDatagrams {
  private static final long QUIET_NS = TimeUnit.MINUTES.toNanos(1);
  private static final DropReason[] ALL = DropReason.values();

  private final AtomicLongArray counts = new AtomicLongArray(ALL.length);
  private final AtomicLong failures = new AtomicLong();
  private volatile long high; // source of the last refused datagram
  private volatile long low;
  private volatile int port;
  private volatile @Nullable Throwable failure; // the last failure
  private final AtomicLong multicastFailures = new AtomicLong();
  private volatile String multicastFailure = ""; // the last one
  // used by report() only
  private final long[] told = new long[ALL.length];
  private long toldFailures;
  private long toldMulticastFailures;
  private boolean silent;
  private long since;
  private final Rest rest;

  /** Counts nothing yet, and wakes no thread. */
  RefusedDatagrams() {
    this(new Rest());
  }

  /** Counts nothing yet; each count ends the rest of the thread that reports. */
  RefusedDatagrams(Rest rest) {
    this.rest = rest;
  }

  /** Counts a datagram that was refused for its content. */
  void refused(DropReason reason, long sourceHigh, long sourceLow, int sourcePort) {
    high = sourceHigh;
    low = sourceLow;
    port = sourcePort;
    counts.getAndIncrement(reason.ordinal());
    rest.end();
  }

  /** Counts a failure of this driver. */
  void failed(Throwable why) {
    failure = why;
    failures.getAndIncrement();
    rest.end();
  }

  /** Counts a failure to join or leave a group, with a text that names group and interface. */
  void multicastFailed(String what) {
    multicastFailure = what;
    multicastFailures.getAndIncrement();
    rest.end();
  }

  /**
   * Returns what is new, unless the last report is less than a minute old. For one thread at a
   * time.
   *
   * @param nowNs present time in nanoseconds
   * @return a line for the log; empty when there is nothing to report
   */
  Optional<String> report(long nowNs) {
    if (silent && nowNs - since < QUIET_NS) {
      return Optional.empty();
    }
    StringJoiner parts = new StringJoiner("; ");
    refused(parts);
    failed(parts);
    multicastFailed(parts);
    silent = parts.length() > 0;
    since = nowNs;
    return silent ? Optional.of(parts.toString()) : Optional.empty();
  }

  /** {@return whether a later report will say something} For the thread that reports. */
  boolean isPending() {
    boolean pending =
        failures.get() > toldFailures || multicastFailures.get() > toldMulticastFailures;
    for (int i = 0; i < ALL.length && !pending; i++) {
      pending = counts.get(i) > told[i];
    }
    return pending;
  }

  private void refused(StringJoiner parts) {
    StringJoiner reasons = new StringJoiner(", ");
    for (int i = 0; i < ALL.length; i++) {
      long now = counts.get(i);
      if (now > told[i]) {
        reasons.add(ALL[i].name().toLowerCase(Locale.ROOT) + " " + (now - told[i]));
        told[i] = now;
      }
    }
    if (reasons.length() > 0) {
      parts.add("datagrams refused: " + reasons + ", the last from " + source());
    }
  }

  private String source() {
    return Addresses.address(high, low, 0).getHostAddress()
        + " port "
        + port
        + " ("
        + new Gid(high, low)
        + ")";
  }

  private void failed(StringJoiner parts) {
    long now = failures.get();
    Throwable last = failure;
    if (now > toldFailures && last != null) {
      StackTraceElement[] stack = last.getStackTrace();
      String place = stack.length == 0 ? "" : " at " + stack[0];
      parts.add("failed " + (now - toldFailures) + " times to receive: " + last + place);
      toldFailures = now;
    }
  }

  private void multicastFailed(StringJoiner parts) {
    long now = multicastFailures.get();
    if (now > toldMulticastFailures) {
      long times = now - toldMulticastFailures;
      parts.add("multicast failed " + times + " times, the last: " + multicastFailure);
      toldMulticastFailures = now;
    }
  }
}

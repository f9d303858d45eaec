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
 * What strangers sent that is no packet, and what went wrong here when something came: noted by any
 * thread without waiting or allocating, told by one thread, in a line a minute at most. Nobody can
 * fill a log from outside.
 */
final class Refusals {
  private static final long QUIET_NS = TimeUnit.MINUTES.toNanos(1);
  private static final DropReason[] ALL = DropReason.values();

  private final AtomicLongArray counts = new AtomicLongArray(ALL.length);
  private final AtomicLong failures = new AtomicLong();
  private volatile long high; // of the last one refused
  private volatile long low;
  private volatile int port;
  private volatile @Nullable Throwable failure; // the last one
  // the teller's
  private final long[] told = new long[ALL.length];
  private long toldFailures;
  private boolean silent;
  private long since;

  /** A datagram was refused for its bytes. */
  void refused(DropReason reason, long sourceHigh, long sourceLow, int sourcePort) {
    high = sourceHigh;
    low = sourceLow;
    port = sourcePort;
    counts.getAndIncrement(reason.ordinal());
  }

  /** A datagram, or the thread that receives, met an error of ours. */
  void failed(Throwable why) {
    failure = why;
    failures.getAndIncrement();
  }

  /**
   * Tells what is new, unless something was told less than a minute ago. For one thread at a time.
   *
   * @param nowNs the time
   * @return a line for a log, or nothing
   */
  Optional<String> report(long nowNs) {
    if (silent && nowNs - since < QUIET_NS) {
      return Optional.empty();
    }
    StringJoiner parts = new StringJoiner("; ");
    refused(parts);
    failed(parts);
    silent = parts.length() > 0;
    since = nowNs;
    return silent ? Optional.of(parts.toString()) : Optional.empty();
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
}

package ib.engine.port;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PortCounter;
import ib.core.wire.DropReason;
import ib.engine.link.HcaCounter;
import ib.engine.link.Traffic;
import ib.engine.qp.QpCore;
import ib.engine.run.LookRound;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BiConsumer;

/**
 * The counters of a device (D11). A queue pair counts in plain fields of its own, written by its
 * owner only; what belongs to no queue pair is counted here. A reader sums them up, so counting
 * costs the data path a store, and reading may miss what is just being counted.
 */
public final class Tally extends LookRound {
  private static final HcaCounter[] HCA_COUNTERS = HcaCounter.values();
  private static final long LOOK_NS = 250_000_000;
  private static final long MAX_LOOK_NS = 64 * LOOK_NS; // 16 s
  private static final int COUNTERS = HCA_COUNTERS.length;
  private static final int ALL = COUNTERS + Traffic.COUNT;

  private final AtomicLongArray[] ports;
  private final long[][][] resets;
  private volatile int live;
  private long lookedNs; // the worker's
  private long lookNs = LOOK_NS; // the worker's
  private final IdentityHashMap<QpCore, Boolean> members = new IdentityHashMap<>(); // a set
  private final BiConsumer<QpCore, Boolean> note = (qp, present) -> note(qp);
  private boolean heard; // the worker's

  Tally(int portCount) {
    ports = new AtomicLongArray[portCount];
    for (int i = 0; i < portCount; i++) {
      ports[i] = new AtomicLongArray(ALL);
    }
    int forms = PortCounter.Form.values().length;
    resets = new long[forms][portCount][PortCounter.values().length];
  }

  // ---- counting ----

  /** Counts something that belongs to no queue pair. */
  void count(int port, HcaCounter counter) {
    ports[port - 1].getAndIncrement(counter.ordinal());
  }

  /** Counts something that belongs to no queue pair. */
  void count(int port, Traffic what, long n) {
    count(port, what.ordinal(), n);
  }

  /** Counts something that belongs to no queue pair, by its place. */
  void count(int port, int place, long n) {
    ports[port - 1].getAndAdd(COUNTERS + place, n);
  }

  synchronized void enter(QpCore qp) {
    members.put(qp, true);
    live = members.size();
  }

  /**
   * Adds the counts of a queue pair to its port. Only the thread that holds the claim calls this.
   */
  synchronized void settle(QpCore qp) {
    AtomicLongArray port = ports[qp.portIndex()];
    for (int i = 0; i < ALL; i++) {
      long n = own(qp, i);
      if (n != 0) {
        port.getAndAdd(i, n);
      }
    }
    qp.clearCounts();
  }

  /** Removes a queue pair that is destroyed; keeps its counts. */
  public synchronized void leave(QpCore qp) {
    if (members.remove(qp) != null) {
      live = members.size();
      settle(qp);
    }
  }

  private static long own(QpCore qp, int i) {
    return i < COUNTERS ? qp.value(HCA_COUNTERS[i]) : qp.value(i - COUNTERS);
  }

  /** {@return the queue pairs} */
  synchronized List<QpCore> all() {
    return List.copyOf(members.keySet());
  }

  /**
   * Notes which queue pairs have heard something: every quarter of a second while any of them does,
   * and the less often the longer none does, so that an idle device sleeps. The worker's.
   */
  @Override
  protected void look(long now) {
    if (live > 0 && (now - lookedNs >= lookNs || lookedNs == 0)) {
      lookedNs = now;
      heard = false;
      synchronized (this) {
        members.forEach(note); // no iterator: the worker allocates nothing (G5)
      }
      lookNs = heard ? LOOK_NS : Math.min(2 * lookNs, MAX_LOOK_NS);
    }
  }

  private void note(QpCore qp) {
    heard |= qp.history.look(lookedNs, qp.value(HcaCounter.RCVD_PKTS));
  }

  @Override
  protected long restNs() {
    return live == 0 ? Long.MAX_VALUE : lookNs;
  }

  // ---- reading ----

  private synchronized long[] sum(int port) {
    long[] sum = new long[ALL];
    for (int i = 0; i < ALL; i++) {
      sum[i] = ports[port - 1].get(i);
    }
    for (QpCore qp : members.keySet()) {
      if (qp.portIndex() == port - 1) {
        for (int i = 0; i < ALL; i++) {
          sum[i] += own(qp, i);
        }
      }
    }
    return sum;
  }

  /** {@return all hardware counters of a port with their names, in order} */
  Map<String, Long> named(int port) {
    long[] sum = sum(port);
    Map<String, Long> named = new LinkedHashMap<>();
    for (HcaCounter c : HcaCounter.values()) {
      named.put(c.label(), sum[c.ordinal()]);
    }
    return named;
  }

  /** {@return the port counters that an attribute has, since their last reset} */
  synchronized Map<PortCounter, Long> read(int port, PortCounter.Form form) {
    long[] sum = sum(port);
    Map<PortCounter, Long> read = new EnumMap<>(PortCounter.class);
    for (PortCounter c : PortCounter.values()) {
      if (c.in(form)) {
        long since = resets[form.ordinal()][port - 1][c.ordinal()];
        read.put(c, c.value(form, value(c, sum) - since));
      }
    }
    return read;
  }

  /** Resets counters of a port to 0. */
  synchronized void reset(int port, PortCounter.Form form, Set<PortCounter> which) {
    long[] sum = sum(port);
    for (PortCounter c : which) {
      if (!c.in(form)) {
        throw new IbInvalidException(
            "resetPortCounters", c + " is not in the " + form + " form", "PortCounter.in(form)");
      }
      resets[form.ordinal()][port - 1][c.ordinal()] = value(c, sum);
    }
  }

  /** {@return the value of a port counter; those of virtual lanes, credits and filters are 0} */
  private static long value(PortCounter c, long[] sum) {
    int sl = c.serviceLevel();
    if (sl >= 0) {
      boolean out = c.in(PortCounter.Form.XMIT_DATA_SL);
      return sum[COUNTERS + (out ? Traffic.xmitData(sl) : Traffic.rcvData(sl))];
    }
    return switch (c) {
      case XMIT_DATA -> data(sum, Traffic.xmitData(0));
      case RCV_DATA -> data(sum, Traffic.rcvData(0));
      case XMIT_PKTS -> of(sum, Traffic.XMIT_PKTS);
      case RCV_PKTS -> of(sum, Traffic.RCV_PKTS);
      case MULTICAST_XMIT_PKTS -> of(sum, Traffic.XMIT_MULTICAST);
      case MULTICAST_RCV_PKTS -> of(sum, Traffic.RCV_MULTICAST);
      case UNICAST_XMIT_PKTS -> of(sum, Traffic.XMIT_PKTS) - of(sum, Traffic.XMIT_MULTICAST);
      case UNICAST_RCV_PKTS -> of(sum, Traffic.RCV_PKTS) - of(sum, Traffic.RCV_MULTICAST);
      case LINK_DOWNED -> sum[HcaCounter.LINK_DOWNED.ordinal()];
      case XMIT_DISCARDS -> of(sum, Traffic.XMIT_DISCARDS);
      case INACTIVE_DISCARDS -> of(sum, Traffic.XMIT_DISCARDS);
      case RCV_ERRORS -> physical(sum) + malformed(sum);
      case LOCAL_PHYSICAL_ERRORS -> physical(sum);
      case MALFORMED_PACKET_ERRORS -> malformed(sum);
      case VL15_DROPPED -> of(sum, Traffic.VL15_DROPPED);
      case QP1_DROPPED -> of(sum, Traffic.QP1_DROPPED);
      default -> 0;
    };
  }

  /** On all service levels. */
  private static long data(long[] sum, int first) {
    long n = 0;
    for (int sl = 0; sl < Traffic.SERVICE_LEVELS; sl++) {
      n += sum[COUNTERS + first + sl];
    }
    return n;
  }

  /** Packets whose checksums say that they were damaged on their way (IBA 16.1.4.1). */
  private static long physical(long[] sum) {
    return sum[HcaCounter.of(DropReason.ICRC).ordinal()]
        + sum[HcaCounter.of(DropReason.VCRC).ordinal()];
  }

  /** Packets with another error in themselves; an unknown opcode is none (IBA 16.1.3.5). */
  private static long malformed(long[] sum) {
    long n = 0;
    for (DropReason reason : DropReason.values()) {
      if (reason != DropReason.OPCODE
          && reason != DropReason.NOT_ROCE
          && reason != DropReason.ICRC
          && reason != DropReason.VCRC) {
        n += sum[HcaCounter.of(reason).ordinal()];
      }
    }
    return n;
  }

  private static long of(long[] sum, Traffic what) {
    return sum[COUNTERS + what.ordinal()];
  }
}

package ib.driver.rxe;

import ib.core.verbs.Mtu;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.engine.ring.ReceiveRing;
import ib.engine.ring.SendRing;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * A program that measures the memory of a queue pair of rxe, by class histograms of the live heap.
 * It runs in a JVM of its own, where no other test makes or frees objects meanwhile. The core's own
 * objects are not counted, as by {@code Footprint} of the engine, nor the sockets of source ports,
 * of which a device has as many as it is configured for.
 */
final class RxeFootprint {
  private static final int NEW = 10_000;
  private static final int PAIRS = 250;
  private static final int MESSAGES = 20; // more than a queue pair has packets
  private static final int DEPTH = 4;
  private static final int SGES = 1;
  private static final int INLINE = 64;

  private RxeFootprint() {}

  private record Size(long objects, long bytes) {
    Size minus(Size other) {
      return new Size(objects - other.objects, bytes - other.bytes);
    }

    Size plus(Size other) {
      return new Size(objects + other.objects, bytes + other.bytes);
    }
  }

  private static final Size NONE = new Size(0, 0);

  private static Map<String, Size> histogram() throws JMException {
    String text =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    Map<String, Size> all = new TreeMap<>();
    for (String line : text.lines().toList()) {
      String[] words = line.trim().split("\\s+");
      if (words.length >= 4 && words[0].endsWith(":")) {
        all.merge(
            words[3], new Size(Long.parseLong(words[1]), Long.parseLong(words[2])), Size::plus);
      }
    }
    return all;
  }

  /** Whether a class is counted: not the core's own, a collector's or this program's. */
  private static boolean counts(String name) {
    return !name.matches(
        "\\[?L?(ib\\.core|java\\.lang\\.(String|Throwable)|java\\.util|jdk\\.internal"
            + "|ib\\.driver\\.rxe\\.RxeFootprint|\\[?B$).*");
  }

  /** Makes many of something; what all have added to the heap, by class. */
  private static Map<String, Size> added(int n, IntFunction<Object> make) throws JMException {
    Object[] kept = new Object[n];
    Object first = make.apply(-1); // what the first of its kind loads
    Map<String, Size> before = histogram();
    for (int i = 0; i < n; i++) {
      kept[i] = make.apply(i);
    }
    Map<String, Size> added = new TreeMap<>();
    histogram()
        .forEach((name, size) -> added.put(name, size.minus(before.getOrDefault(name, NONE))));
    Reference.reachabilityFence(first);
    Reference.reachabilityFence(kept);
    return added;
  }

  private static Size sum(Map<String, Size> of) {
    Size sum = NONE;
    for (Map.Entry<String, Size> e : of.entrySet()) {
      sum = counts(e.getKey()) ? sum.plus(e.getValue()) : sum;
    }
    return sum;
  }

  private static Size each(int n, Map<String, Size> all) {
    Size sum = sum(all);
    return new Size(Math.round((double) sum.objects / n), Math.round((double) sum.bytes / n));
  }

  private static void print(Size each, Map<String, Size> all, int n) {
    IO.println(each.objects + " " + each.bytes);
    all.forEach(
        (name, size) -> {
          if (counts(name) && size.bytes >= 8L * n) {
            IO.println("  " + name + " " + size.objects / (double) n + " " + size.bytes / n);
          }
        });
  }

  private static QueuePair create(RxeSide s) {
    QpCap cap = new QpCap(DEPTH, DEPTH, SGES, SGES, INLINE);
    return s.pd.createQp(new QpInit(QpType.RC, s.cq, cap));
  }

  /**
   * Prints what a new queue pair has beside its rings, then one that has sent and received and is
   * idle. Where each was made is the core's: as much as a {@code Throwable} has. The second kind
   * are some of the first, so that no table of the device grows.
   */
  public static void main(String[] args) throws JMException {
    Size beside =
        each(
            NEW,
            added(
                NEW,
                i -> {
                  Object[] three = {
                    new SendRing(DEPTH, SGES, INLINE), new ReceiveRing(DEPTH, SGES), new Throwable()
                  };
                  return three;
                }));
    beside = beside.minus(new Size(1, 32)); // the array of the three
    RxeLab lab = new RxeLab(); // stays open: nothing is freed while the heap is measured
    lab.configure("rxe0", "address", "127.0.0.1", "source_ports", 0);
    lab.configure("rxe1", "address", "127.0.0.2", "source_ports", 0);
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    QueuePair[][] made = new QueuePair[2][NEW + 1];
    Map<String, Size> created = added(NEW, i -> made[0][i + 1] = create(a));
    for (int i = 0; i <= PAIRS; i++) {
      made[1][i] = create(b);
    }
    Map<String, Size> used =
        added(
            PAIRS,
            i -> {
              connect(a, made[0][i + 1], b, made[1][i + 1]);
              return a;
            });
    Size fresh = each(NEW, created).minus(beside);
    print(fresh, created, NEW);
    print(fresh.plus(each(2 * PAIRS, used)), used, 2 * PAIRS);
    System.exit(0); // the devices have threads
  }

  private static void write(RxeSide from, RxeSide to) {
    from.qp.wrStart();
    from.qp.wrId(1).wrFlags(SendFlags.SIGNALED);
    from.qp.wrRdmaWrite(to.mr.rkey(), to.mr.iova());
    from.qp.wrSetSge(from.mr.lkey(), from.mr.iova(), 64);
    if (from.qp.wrComplete() != 0) {
      throw new AssertionError("a WRITE is refused");
    }
    from.next(1);
  }

  private static void connect(RxeSide a, QueuePair one, RxeSide b, QueuePair other) {
    a.qp = one;
    b.qp = other;
    a.bringUp(b.gid(), other.qpn(), Mtu.MTU_1024);
    b.bringUp(a.gid(), one.qpn(), Mtu.MTU_1024);
    for (int i = 0; i < MESSAGES; i++) {
      write(a, b);
      write(b, a);
    }
  }
}

package ib.driver.rxe;

import ib.core.testing.HeapHistogram;
import ib.core.testing.HeapHistogram.Size;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.engine.ring.ReceiveRing;
import ib.engine.ring.SendRing;

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

  /** Whether a class is counted: not the core's own, a collector's or this program's. */
  private static boolean counts(String name) {
    return !name.matches(
        "\\[?L?(ib\\.core|java\\.lang\\.(String|Throwable)|java\\.util|jdk\\.internal"
            + "|ib\\.driver\\.rxe\\.RxeFootprint|\\[?B$).*");
  }

  private static Size each(int n, HeapHistogram all) {
    return all.sum(RxeFootprint::counts).each(n);
  }

  private static void print(Size each, HeapHistogram all, int n) {
    IO.println(each.objects() + " " + each.bytes());
    all.classes()
        .forEach(
            (name, size) -> {
              if (counts(name) && size.bytes() >= 8L * n) {
                double objects = size.objects() / (double) n;
                IO.println("  " + name + " " + objects + " " + size.bytes() / n);
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
  public static void main(String[] args) {
    Size beside =
        each(
            NEW,
            HeapHistogram.added(
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
    HeapHistogram created = HeapHistogram.added(NEW, i -> made[0][i + 1] = create(a));
    for (int i = 0; i <= PAIRS; i++) {
      made[1][i] = create(b);
    }
    HeapHistogram used =
        HeapHistogram.added(
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

package ib.engine;

import ib.core.testing.HeapHistogram;
import ib.core.testing.HeapHistogram.Size;
import ib.core.verbs.PostStatus;
import ib.core.verbs.QpCap;
import ib.core.verbs.QpInit;
import ib.core.verbs.QpType;
import ib.core.verbs.QueuePair;
import ib.core.verbs.SendFlags;
import ib.core.verbs.SendWr;
import ib.core.verbs.WcStatus;
import ib.core.verbs.WrOpcode;
import ib.engine.ring.ReceiveRing;
import ib.engine.ring.SendRing;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * A program that measures the memory of a queue pair, by class histograms of the live heap. It runs
 * in a JVM of its own, where no other test makes or frees objects meanwhile. The core's own objects
 * are not counted.
 */
final class Footprint {
  /** Queue pairs of each kind. */
  static final int QPS = 10_000;

  private static final int DEPTH = 4;
  private static final int SGES = 1;
  private static final int INLINE = 64;
  private static final String ARRAY = "[Ljava.lang.Object;";

  /**
   * Whether a class is counted: not the core's own, which has no atomic objects here but those of
   * the test's book, nor what a collector leaves behind.
   */
  private static boolean counts(String name) {
    return !name.startsWith("ib.core.")
        && !name.startsWith("[Lib.core.verbs.")
        && !name.startsWith("java.util.concurrent.atomic.")
        && !name.startsWith("[Ljdk.internal.vm.")
        && !name.startsWith("jdk.internal.vm.");
  }

  private static QpInit init(Rig.Side s) {
    return new QpInit(QpType.RC, s.sendCq, new QpCap(DEPTH, DEPTH, SGES, SGES, INLINE))
        .withRecvCq(s.recvCq);
  }

  /**
   * Prints objects and bytes of a new queue pair and of a connected one beside the rings, then all
   * objects and bytes of a connected one.
   */
  public static void main(String[] args) {
    HeapHistogram rings =
        each(
            QPS,
            i -> {
              Object[] both = {new SendRing(DEPTH, SGES, INLINE), new ReceiveRing(DEPTH, SGES)};
              return both;
            });
    rings = rings.plus(new HeapHistogram(Map.of(ARRAY, new Size(-1, -24)))); // of both
    Rig rig = Rig.two(); // stays open: nothing is freed while the heap is measured
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    print(each(QPS, i -> a.pd.createQp(init(a))), rings);
    HeapHistogram pairs =
        each(
            QPS / 2,
            i -> {
              QueuePair[] pair = {a.pd.createQp(init(a)), b.pd.createQp(init(b))};
              Rig.bringUp(a, pair[0], pair[1].qpn(), b.lid(), 14, 7, 7);
              Rig.bringUp(b, pair[1], pair[0].qpn(), a.lid(), 14, 7, 7);
              write(pair[0], a, b);
              write(pair[1], b, a);
              return pair;
            });
    print(pairs, rings, rings);
    print(pairs.sum(name -> true).each(2));
    rig.close();
  }

  private static HeapHistogram each(int n, IntFunction<Object> make) {
    return HeapHistogram.added(n, make).each(n);
  }

  /** Prints what one of several has beside its rings. */
  private static void print(HeapHistogram whole, HeapHistogram... rings) {
    HeapHistogram left = whole;
    for (HeapHistogram of : rings) {
      left = left.minus(of);
    }
    print(left.sum(Footprint::counts).each(rings.length));
  }

  private static void print(Size each) {
    IO.println(each.objects() + " " + each.bytes());
  }

  private static void write(QueuePair qp, Rig.Side from, Rig.Side to) {
    SendWr wr =
        new SendWr(1)
            .opcode(WrOpcode.RDMA_WRITE)
            .flags(SendFlags.SIGNALED)
            .rkey(to.mr.rkey())
            .remoteAddr(to.mr.iova())
            .addSge(from.mr.lkey(), from.mr.iova(), 64);
    if (qp.postSend(wr) != PostStatus.OK || Rig.await(from.sendCq).status() != WcStatus.SUCCESS) {
      throw new AssertionError("a WRITE did not succeed");
    }
  }
}

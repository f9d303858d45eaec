package ib.engine;

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
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import javax.management.JMException;
import javax.management.ObjectName;

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

  private record Size(long objects, long bytes) {
    Size minus(Size other) {
      return new Size(objects - other.objects, bytes - other.bytes);
    }

    Size plus(Size other) {
      return new Size(objects + other.objects, bytes + other.bytes);
    }

    /** What one of many has, rounded: a few objects of the JVM itself come and go. */
    Size each(int n) {
      return new Size(Math.round((double) objects / n), Math.round((double) bytes / n));
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

  /** Makes many of something; says what each has added to the heap, by class. */
  private static Map<String, Size> each(int n, IntFunction<Object> make) throws JMException {
    Object[] kept = new Object[n];
    Object first = make.apply(-1); // what the first of its kind loads
    Map<String, Size> before = histogram();
    for (int i = 0; i < n; i++) {
      kept[i] = make.apply(i);
    }
    Map<String, Size> after = histogram();
    Map<String, Size> each = new TreeMap<>();
    after.forEach(
        (name, size) -> {
          Size one = size.minus(before.getOrDefault(name, NONE)).each(n);
          if (one.objects != 0) {
            each.put(name, one);
          }
        });
    Reference.reachabilityFence(first);
    return each;
  }

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

  /** What each has beside its rings. */
  private static Size beside(Map<String, Size> whole, Map<String, Size> rings) {
    Map<String, Size> left = new TreeMap<>();
    whole.forEach((name, size) -> left.put(name, size.minus(rings.getOrDefault(name, NONE))));
    left.keySet().removeIf(name -> !counts(name));
    return left.values().stream().reduce(NONE, Size::plus);
  }

  private static QpInit init(Rig.Side s) {
    return new QpInit(QpType.RC, s.sendCq, new QpCap(DEPTH, DEPTH, SGES, SGES, INLINE))
        .withRecvCq(s.recvCq);
  }

  /**
   * Prints objects and bytes of a new queue pair and of a connected one beside the rings, then all
   * objects and bytes of a connected one.
   */
  public static void main(String[] args) throws JMException {
    Map<String, Size> rings =
        each(
            QPS,
            i -> {
              Object[] both = {new SendRing(DEPTH, SGES, INLINE), new ReceiveRing(DEPTH, SGES)};
              return both;
            });
    rings.merge("[Ljava.lang.Object;", new Size(-1, -24), Size::plus); // the array of both
    Rig rig = Rig.two(); // stays open: nothing is freed while the heap is measured
    Rig.Side a = rig.a();
    Rig.Side b = rig.b();
    print(each(QPS, i -> a.pd.createQp(init(a))), rings);
    Map<String, Size> pairs =
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
    print(pairs.values().stream().reduce(NONE, Size::plus).each(2));
    rig.close();
  }

  /** Prints what one of several has beside its rings. */
  @SafeVarargs
  private static void print(Map<String, Size> whole, Map<String, Size>... rings) {
    Map<String, Size> all = new TreeMap<>();
    for (Map<String, Size> of : rings) {
      of.forEach((name, size) -> all.merge(name, size, Size::plus));
    }
    print(beside(whole, all).each(rings.length));
  }

  private static void print(Size each) {
    IO.println(each.objects + " " + each.bytes);
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

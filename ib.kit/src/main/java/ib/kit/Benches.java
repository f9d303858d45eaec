package ib.kit;

import ib.core.verbs.Limit;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** The benches of one run: each is used until a case fails on it. */
final class Benches {
  private final Supplier<Bench> ordinary;
  private final Function<Map<Limit, Long>, Bench> small;
  private @Nullable Bench open;
  private boolean limited;

  Benches(Supplier<Bench> ordinary, Function<Map<Limit, Long>, Bench> small) {
    this.ordinary = ordinary;
    this.small = small;
  }

  void run(Case c) {
    Bench bench = open;
    if (bench == null || limited != c.limits()) {
      close();
      limited = c.limits();
      bench = limited ? small.apply(smallLimits()) : ordinary.get();
      open = bench;
    }
    boolean good = false;
    try {
      c.run(bench);
      good = true;
    } catch (TestAbortedException skipped) {
      good = true;
      throw skipped;
    } finally {
      if (!good) {
        close();
      }
    }
  }

  void close() {
    Bench bench = open;
    open = null;
    if (bench != null) {
      bench.close();
    }
  }

  static Map<Limit, Long> smallLimits() {
    Map<Limit, Long> m = new EnumMap<>(Limit.class);
    m.put(Limit.MAX_QP, 6L);
    m.put(Limit.MAX_CQ, 7L);
    m.put(Limit.MAX_MR, 8L);
    m.put(Limit.MAX_PD, 5L);
    m.put(Limit.MAX_AH, 9L);
    m.put(Limit.MAX_SRQ, 4L);
    m.put(Limit.MAX_MW, 6L);
    m.put(Limit.MAX_QP_WR, 128L);
    m.put(Limit.MAX_CQE, 1024L);
    m.put(Limit.MAX_SRQ_WR, 128L);
    m.put(Limit.MAX_MCAST_GRP, 3L);
    m.put(Limit.MAX_MCAST_QP_ATTACH, 2L);
    return m;
  }
}

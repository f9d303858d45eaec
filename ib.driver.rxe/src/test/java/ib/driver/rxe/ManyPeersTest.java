package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpWire;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 13, goal «peers»: 50 random peers in turn")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ManyPeersTest {
  private static final int PEERS = 50;
  private static final int BYTES = 65_536;
  private static final int WARM = 10_000;
  private static final int MESSAGES = 2_000;
  private static final int SERIES = 10;

  /**
   * The least object has 16 B. Java makes one of 40 B in a system call that is too rare to be
   * compiled well, as when a receiver falls asleep.
   */
  private static final long LESS_THAN_OBJECTS = 8L * MESSAGES;

  private final List<RxeSide> here = new ArrayList<>();
  private final List<RxeSide> there = new ArrayList<>();

  private void connect(RxeLab lab) {
    Random random = new Random(50);
    String addresses =
        Stream.generate(
                () ->
                    "127."
                        + (2 + random.nextInt(250))
                        + "."
                        + random.nextInt(256)
                        + "."
                        + (1 + random.nextInt(250)))
            .distinct()
            .limit(PEERS)
            .collect(Collectors.joining(","));
    lab.configure("rxe0", "address", "127.0.0.1", "io", "native", "source_ports", 0);
    lab.configure("rxe1", "address", addresses, "io", "native", "source_ports", 0);
    for (int i = 0; i < PEERS; i++) {
      RxeSide a = lab.side("rxe0");
      RxeSide b = lab.side("rxe1");
      b.gidIndex = i;
      RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
      here.add(a);
      there.add(b);
    }
  }

  @Test
  @DisplayName("at least 95 % of the packets leave in sends that the system cuts")
  void cut() {
    try (RxeLab lab = new RxeLab()) {
      connect(lab);
      UdpWire wire = lab.running.get("rxe0").wire;
      round();
      round(); // each peer is proven
      long sent = wire.counter(UdpCounter.UDP_SENT);
      long cut = wire.counter(UdpCounter.GSO_SENT);
      for (int i = 0; i < 5; i++) {
        round();
      }
      sent = wire.counter(UdpCounter.UDP_SENT) - sent;
      cut = wire.counter(UdpCounter.GSO_SENT) - cut;
      assertTrue(sent >= 5L * PEERS * BYTES / 1024, sent + " datagrams");
      assertTrue(cut >= sent * 95 / 100, cut + " of " + sent);
    }
  }

  @Test
  @DisplayName("0 B a message: no thread that sends or receives allocates for one of the peers")
  void garbage() {
    try (RxeLab lab = new RxeLab()) {
      connect(lab);
      long[] threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(
                  t ->
                      t.getName().matches("ib-rxe.-(rx|engine)")
                          || t.equals(Thread.currentThread()))
              .mapToLong(Thread::threadId)
              .toArray();
      assertEquals(5, threads.length, "two receivers, two engines, the poster");
      messages(WARM);
      // when the compiler has compiled all of it is the compiler's affair; code that allocates does
      // so in each series
      long least = Long.MAX_VALUE;
      for (int i = 0; i < SERIES && least >= LESS_THAN_OBJECTS; i++) {
        long before = allocated(threads);
        messages(MESSAGES);
        least = Math.min(least, allocated(threads) - before);
      }
      assertTrue(least < LESS_THAN_OBJECTS, least + " B in " + MESSAGES + " messages");
    }
  }

  private static long allocated(long[] ids) {
    ThreadMXBean all = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (long id : ids) {
      sum += Math.max(0, all.getThreadAllocatedBytes(id));
    }
    return sum;
  }

  private void messages(int count) {
    for (int i = 0; i < count; i++) {
      int peer = i % PEERS;
      there.get(peer).receive(1, 0, BYTES);
      here.get(peer).send(2, 0, BYTES);
      while (here.get(peer).count() == 0) {
        Thread.onSpinWait();
      }
      while (there.get(peer).count() == 0) {
        Thread.onSpinWait();
      }
    }
  }

  private void round() {
    for (int i = 0; i < PEERS; i++) {
      there.get(i).receive(1, 0, BYTES);
      here.get(i).send(2, 0, BYTES);
      here.get(i).next(2);
      there.get(i).next(1);
    }
  }
}

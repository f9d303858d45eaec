package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpWire;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 13, goal «peers»: 50 random peers in turn")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ManyPeersTest {
  private static final int PEERS = 50;
  private static final int BYTES = 65_536;

  @Test
  @DisplayName("at least 95 % of the packets leave in sends that the system cuts")
  void cut() {
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
    try (RxeLab lab = new RxeLab()) {
      lab.configure("rxe0", "address", "127.0.0.1", "io", "native", "source_ports", 0);
      lab.configure("rxe1", "address", addresses, "io", "native", "source_ports", 0);
      List<RxeSide> here = new ArrayList<>();
      List<RxeSide> there = new ArrayList<>();
      for (int i = 0; i < PEERS; i++) {
        RxeSide a = lab.side("rxe0");
        RxeSide b = lab.side("rxe1");
        b.gidIndex = i;
        RxeSide.connect(QpType.RC, a, b, Mtu.MTU_1024);
        here.add(a);
        there.add(b);
      }
      UdpWire wire = lab.running.get("rxe0").wire();
      round(here, there);
      round(here, there); // each peer is proven
      long sent = wire.counter(UdpCounter.UDP_SENT);
      long cut = wire.counter(UdpCounter.GSO_SENT);
      for (int i = 0; i < 5; i++) {
        round(here, there);
      }
      sent = wire.counter(UdpCounter.UDP_SENT) - sent;
      cut = wire.counter(UdpCounter.GSO_SENT) - cut;
      assertTrue(sent >= 5L * PEERS * BYTES / 1024, sent + " datagrams");
      assertTrue(cut >= sent * 95 / 100, cut + " of " + sent);
    }
  }

  private static void round(List<RxeSide> here, List<RxeSide> there) {
    for (int i = 0; i < PEERS; i++) {
      there.get(i).receive(1, 0, BYTES);
      here.get(i).send(2, 0, BYTES);
      here.get(i).next(2);
      there.get(i).next(1);
    }
  }
}

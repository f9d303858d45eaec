package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.driver.rxe.udp.UdpCounter;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 13, point 5: a receiver whose buffer gets full has its senders send less")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IncastTest {
  private static final int BUFFER = 65_536; // bytes, less than the window of 128 packets
  private static final int BYTES = 256 << 10;
  private static final int BURSTS = 20;

  private final RxeLab lab = new RxeLab();

  @AfterEach
  void close() {
    lab.close();
  }

  private Map<String, Long> counters(String device) {
    return lab.running.get(device).ops().counters(1);
  }

  private RxeSide[] connected(String io) {
    lab.configure("rxe0", "address", "127.0.0.1", "io", io);
    lab.configure(
        "rxe1",
        "address",
        "127.0.0.2",
        "io",
        "native",
        "socket_buffer",
        BUFFER,
        "progress",
        "thread");
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    a.timeout = 13; // 34 ms: losses are what this is about
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_4096);
    return new RxeSide[] {a, b};
  }

  private static void burst(RxeSide[] sides) {
    for (int i = 0; i < 4; i++) {
      sides[1].receive(1, 0, BYTES);
    }
    for (int i = 0; i < 4; i++) {
      sides[0].send(2, 0, BYTES);
    }
    for (int i = 0; i < 4; i++) {
      sides[0].next(2);
      sides[1].next(1);
    }
  }

  @Test
  @DisplayName("IBA A17.9.3: packets that found the buffer filling are answered by notifications")
  void notified() {
    RxeSide[] sides = connected("native");
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (counters("rxe0").get("rp_cnp_handled") == 0) {
      burst(sides);
      assertTrue(System.nanoTime() < end, counters("rxe1")::toString);
    }
    assertTrue(counters("rxe1").get(UdpCounter.NP_BUFFER_MARKED.label()) > 0);
    assertTrue(counters("rxe1").get("np_cnp_sent") > 0);
    assertEquals(0L, counters("rxe1").get("np_ecn_marked"), "no router has marked them");
  }

  @Test
  @DisplayName("RFC 3168: a sender that does not ask for marks, as Linux's rxe, is not notified")
  void notAsked() {
    RxeSide[] sides = connected("portable"); // cannot set the traffic class
    for (int i = 0; i < BURSTS; i++) {
      burst(sides);
    }
    assertEquals(0L, counters("rxe1").get(UdpCounter.NP_BUFFER_MARKED.label()));
    assertEquals(0L, counters("rxe1").get("np_cnp_sent"));
  }
}

package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.Gid;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.wire.BthOpcode;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpWire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A5: a peer may choose any IPv4 identifications (RFC 6864 section 4.1)")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NumberingTest {
  private static final int PACKETS = 120; // of each kind, after as many of a counter
  private static final int SOURCE_QPN = 0x4321;

  private final RxeLab lab = new RxeLab();
  private int numbered;
  private int heard;

  @AfterEach
  void close() {
    lab.close();
  }

  /** How a peer gives identifications to the packets that it sends with "don't fragment". */
  enum Numbering {
    ONE_MORE(i -> 0x5cda + i),
    CONSTANT(i -> 0x1234),
    RANDOM(i -> new SplittableRandom(i).nextInt(1 << 16)),
    THREE_HUNDRED_MORE(i -> 0x7000 + 300 * i),
    TWO_COUNTERS(i -> (i % 2 == 0 ? 0x2000 : 0xa000) + i),
    FOUR_COUNTERS(i -> 0x4000 * (i % 4) + 0x800 + i / 4),
    BYTE_SWAPPED(i -> Short.reverseBytes((short) (0x30f0 + i)));

    private final IntUnaryOperator of;

    Numbering(IntUnaryOperator of) {
      this.of = of;
    }
  }

  private UdpWire wire() {
    return lab.running.get("rxe0").wire;
  }

  private RxeSide receiver(Object... more) {
    Object[] keys = new Object[2 + more.length];
    keys[0] = "address";
    keys[1] = "127.0.0.1";
    System.arraycopy(more, 0, keys, 2, more.length);
    lab.configure("rxe0", keys);
    RxeSide side = lab.side("rxe0");
    side.open(QpType.UD);
    side.bringUp(Gid.parse("::ffff:127.0.0.2"), 1, Mtu.MTU_1024);
    for (int i = 0; i < 2 * PACKETS; i++) {
      side.receive(i, 0, 2048);
    }
    return side;
  }

  /** Sends datagrams with right ICRCs, one after another that was taken in. */
  private void send(Forgery peer, Numbering numbering, int count, int qpn) throws IOException {
    for (int i = 0; i < count; i++) {
      peer.identification(numbering.of.applyAsInt(i));
      ByteBuffer deth = ByteBuffer.wrap(peer.bytes, 12, 8);
      deth.putInt(RxeSide.QKEY).putInt(SOURCE_QPN);
      peer.send(peer.packet(BthOpcode.UD_SEND_ONLY, qpn, numbered));
      numbered++;
      long start = System.nanoTime();
      while (wire().counter(UdpCounter.UDP_RCVD) < numbered) {
        assertTrue(System.nanoTime() - start < TimeUnit.MINUTES.toNanos(10), "nothing came");
        Thread.onSpinWait();
      }
    }
  }

  /** How many datagrams have been received, once all were judged. */
  private int received(RxeSide side) {
    long start = System.nanoTime();
    while (heard + wire().counter(UdpCounter.DROP_ID_JUMP) < numbered) {
      assertTrue(System.nanoTime() - start < TimeUnit.MINUTES.toNanos(10), heard + " were heard");
      heard += side.count();
      Thread.onSpinWait();
    }
    return heard;
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("A5: every packet with a correct ICRC is accepted at its first arrival")
  void heard(Numbering numbering) throws IOException {
    RxeSide side = receiver();
    try (Forgery peer = new Forgery("127.0.0.2", "127.0.0.1")) {
      send(peer, Numbering.ONE_MORE, PACKETS, side.qp.qpn());
      send(peer, numbering, PACKETS, side.qp.qpn());
      assertEquals(2 * PACKETS, received(side));
    }
    assertEquals(0, wire().counter(UdpCounter.DROP_ID_JUMP));
  }

  @Test
  @DisplayName("id_check = strict: packets numbered by a counter are accepted, others are dropped")
  void strict() throws IOException {
    RxeSide side = receiver("id_check", "strict");
    try (Forgery peer = new Forgery("127.0.0.2", "127.0.0.1")) {
      send(peer, Numbering.ONE_MORE, PACKETS, side.qp.qpn());
      assertEquals(PACKETS, received(side));
      send(peer, Numbering.THREE_HUNDRED_MORE, PACKETS, side.qp.qpn());
      assertEquals(PACKETS, received(side));
    }
    assertEquals(PACKETS, wire().counter(UdpCounter.DROP_ID_JUMP));
    assertEquals(0, wire().counter(UdpCounter.ID_JUMP));
  }
}

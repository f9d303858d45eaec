package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ib.core.verbs.IbInvalidException;
import ib.core.verbs.Mtu;
import ib.core.verbs.QpType;
import ib.core.verbs.SendFlags;
import ib.core.verbs.WcStatus;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 13, point 2: the interface's MTU counts in memory as on the wire")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LocalMtuTest {
  private static final int GRH = 40;

  private final RxeLab lab = new RxeLab();
  private final Map<String, Integer> mtus = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    lab.close();
  }

  /** Two devices whose interfaces have these MTUs. */
  private void devices(int one, int two, String way) {
    mtus.put("rxe0", one);
    mtus.put("rxe1", two);
    lab.host =
        c ->
            new Host.View(
                true,
                mtus.get(c.name()),
                Optional.empty(),
                List.of(
                    InetAddress.ofLiteral(c.name().equals("rxe0") ? "127.0.0.1" : "127.0.0.2")));
    lab.configure("rxe0", "address", "127.0.0.1", "local", way);
    lab.configure("rxe1", "address", "127.0.0.2", "local", way);
  }

  private long sent(String device) {
    return lab.running.get(device).ops().counters(1).get("udp_sent");
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "wire"})
  @DisplayName("a path MTU that the interface has no room for is refused, at either end")
  void refused(String way) {
    devices(9000, 1500, way);
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    a.open(QpType.RC);
    b.open(QpType.RC);
    a.bringUp(b.gid(), b.qp.qpn(), Mtu.MTU_4096);
    assertThrows(IbInvalidException.class, () -> b.bringUp(a.gid(), a.qp.qpn(), Mtu.MTU_2048));
    assertEquals(Mtu.MTU_1024, b.device.queryPort(1).activeMtu());
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "wire"})
  @DisplayName("a peer whose path MTU is smaller refuses a longer packet, and takes one that fits")
  void smaller(String way) {
    devices(9000, 1500, way);
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    a.open(QpType.RC);
    b.open(QpType.RC);
    a.bringUp(b.gid(), b.qp.qpn(), Mtu.MTU_4096);
    b.bringUp(a.gid(), a.qp.qpn(), Mtu.MTU_1024);
    b.receive(1, 0, 4096);
    a.send(2, 0, 1024);
    a.next(2);
    assertEquals(1024, b.next(1).byteLen());
    b.receive(3, 0, 4096);
    a.send(4, 0, 1025);
    assertEquals(WcStatus.REM_INV_REQ_ERR, a.next().status());
    assertEquals(way.equals("wire"), sent("rxe0") > 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "wire"})
  @DisplayName("an interface whose MTU shrinks: who is connected goes on, who connects is limited")
  void shrinks(String way) {
    devices(9000, 9000, way);
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    RxeSide.connect(QpType.RC, a, b, Mtu.MTU_4096);
    mtus.put("rxe0", 1500);
    lab.running.get("rxe0").watch.look();
    b.receive(1, 0, 4096);
    a.send(2, 0, 4096); // between addresses of one host the kernel takes its loopback interface
    a.next(2);
    assertEquals(4096, b.next(1).byteLen());
    a.open(QpType.RC);
    assertThrows(IbInvalidException.class, () -> a.bringUp(b.gid(), b.qp.qpn(), Mtu.MTU_4096));
    assertEquals(way.equals("wire"), sent("rxe0") > 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "wire"})
  @DisplayName("the sender's MTU bounds a datagram: one that it may send arrives")
  void datagram(String way) {
    devices(9000, 1500, way);
    RxeSide a = lab.side("rxe0");
    RxeSide b = lab.side("rxe1");
    RxeSide.connect(QpType.UD, a, b, Mtu.MTU_1024);
    b.receive(1, 0, 4096 + GRH);
    b.receive(2, 0, 4096 + GRH);
    for (int bytes : new int[] {4096, 1024}) {
      a.qp.wrStart();
      a.qp.wrId(3).wrFlags(SendFlags.SIGNALED);
      a.qp.wrSend();
      a.qp.wrSetUdAddress(a.ah(), b.qp.qpn(), RxeSide.QKEY);
      a.qp.wrSetSge(a.mr.lkey(), a.mr.iova(), bytes);
      assertEquals(0, a.qp.wrComplete());
      a.next(3);
    }
    assertEquals(4096 + GRH, b.next(1).byteLen());
    assertEquals(1024 + GRH, b.next(2).byteLen());
    assertEquals(way.equals("wire"), sent("rxe0") > 0);
  }
}

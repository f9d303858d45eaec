package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import ib.cm.CmTerms;
import ib.core.verbs.GlobalRoute;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("what a connection's parameters make of its queue pairs")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParametersTest {
  private final Party mine = new Party();
  private final Party theirs = new Party();

  /** {@return the attributes of both queue pairs, the client's first} */
  private QpAttr[] connected(
      World world, String from, String to, RdmaOptions asks, RdmaOptions gives)
      throws InterruptedException {
    try (RdmaListener listener = world.listen()) {
      int port = listener.localAddress().getPort();
      InetSocketAddress at = new InetSocketAddress(world.address(to), port);
      InetSocketAddress source = new InetSocketAddress(world.address(from), 0);
      RdmaConnection a = world.client.start(at, asks.from(source), mine, mine);
      RdmaRequest asked = world.request();
      assertEquals(world.address(from), asked.remoteAddress().getAddress());
      RdmaConnection p = asked.accept(gives, theirs, theirs);
      assertEquals("ESTABLISHED", mine.hear());
      assertEquals("ESTABLISHED", theirs.hear());
      a.disconnect();
      assertEquals("RDMA_CM_EVENT_DISCONNECTED, error 0", mine.hear());
      assertEquals("RDMA_CM_EVENT_DISCONNECTED, error 0", theirs.hear());
      assertEquals(QpState.ERR, mine.qp().state(), "RD-7: to ERR, then DREQ or DREP");
      assertEquals(QpState.ERR, theirs.qp().state());
      QpAttr[] both = {mine.qp().query(), theirs.qp().query()};
      asked(both[0], both[1]);
      a.close();
      p.close();
      return both;
    }
  }

  /**
   * 14 for the ACK, 5 retries; 3 reads served by the client, 2 outstanding there; the peer 1, 9.
   */
  private static void asked(QpAttr a, QpAttr p) {
    assertEquals(12, a.minRnrTimer(), "RD-9: 0.64 ms, not 655 ms");
    assertEquals(12, p.minRnrTimer());
    assertEquals(14, a.timeout(), "RD-10, RD-15: as asked for");
    assertEquals(14, p.timeout(), "CM-53: the passive side takes it from the REQ");
    assertEquals(5, a.retryCount());
    assertEquals(5, p.retryCount(), "2.4: the REQ's value rules both");
    assertEquals(3, a.rnrRetry(), "the peer's");
    assertEquals(4, p.rnrRetry());
    assertEquals(3, a.maxDestRdAtomic());
    assertEquals(1, a.maxRdAtomic(), "no more than the peer serves");
    assertEquals(1, p.maxDestRdAtomic());
    assertEquals(3, p.maxRdAtomic(), "crossed, and limited by what the client serves");
    assertEquals(a.rqPsn(), p.sqPsn(), "headline fact 1: each begins with the other's number");
    assertEquals(p.rqPsn(), a.sqPsn());
  }

  private static RdmaOptions asks() {
    return RdmaOptions.rc().terms(new CmTerms(5, 14, 20, 15, 0)).reads(3, 2).rnrRetry(4);
  }

  private static RdmaOptions gives() {
    return RdmaOptions.rc().reads(1, 9).rnrRetry(3);
  }

  @Test
  @DisplayName(
      "RD-7, RD-9, RD-10, RD-15, CM-53: over Ethernet; traffic class and hop limit of the path")
  void ethernet() throws Exception {
    try (World world = new World(RxeHost.open("127.0.46.1", "127.0.46.2"))) {
      for (QpAttr each : connected(world, "rxe0", "rxe1", asks().trafficClass(0x68), gives())) {
        GlobalRoute route = each.av().grh();
        assertNotNull(route);
        assertEquals(0x68, route.trafficClass(), "RD-15");
        assertEquals(64, route.hopLimit(), "CM-50");
      }
    }
  }

  @Test
  @DisplayName("CM-57, RD-9, RD-10, CM-53: over a fabric; LIDs of the path, and no GRH in a subnet")
  void fabric() throws Exception {
    try (World world = new World(SoftFabric.open("soft0", "soft1"))) {
      QpAttr[] both = connected(world, "soft0", "soft1", asks(), gives());
      assertNull(both[0].av().grh());
      assertEquals(world.fabric.device("soft1").port(1).lid(), both[0].av().dlid());
      assertEquals(world.fabric.device("soft0").port(1).lid(), both[1].av().dlid());
    }
  }

  @Test
  @DisplayName("RD-22: an address of the same device connects inside of the device")
  void itself() throws Exception {
    try (World world = new World(RxeHost.open("127.0.46.3"))) {
      connected(world, "rxe0", "rxe0", asks(), gives());
    }
  }

  @Test
  @DisplayName(
      "CM-36, CM-37: where the program asks for nothing, 0.27 s for an ACK, and Linux's rest")
  void defaults() {
    CmTerms terms = RdmaOptions.rc().terms();
    assertArrayEquals(
        new int[] {7, 16, 20, 15},
        new int[] {
          terms.retryCount(), terms.ackTimeout(), terms.responseTimeout(), terms.maxRetries()
        },
        () -> Arrays.toString(new Object[] {terms}));
  }
}

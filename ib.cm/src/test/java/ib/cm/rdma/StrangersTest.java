package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmaHeader;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDevice;
import ib.driver.rxe.standalone.RxeHost;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StrangersTest {
  private static final String ONE = "127.0.42.1";
  private static final String TWO = "127.0.42.2";

  /** Sends a REQ with any private data; {@return what the port hears of its answer} */
  private static BlockingQueue<CmEvent> request(
      CmPort port, World world, long service, byte[] data) {
    BlockingQueue<CmEvent> heard = new LinkedBlockingQueue<>();
    IbDevice device = world.fabric.device("rxe0");
    Gid remote = new Gid(0, 0xffff_7f00_2a02L); // of 127.0.42.2
    int index = device.findGid(1, new Gid(0, 0xffff_7f00_2a01L));
    assertTrue(index >= 0, "the GID of " + ONE);
    CmPath path = CmPath.roce(device, 1, index, remote);
    port.connect(
        service, path, CmEndpoint.of(77, 1), CmTerms.DEFAULT, data, (c, e) -> heard.add(e));
    return heard;
  }

  private static int reason(CmPort port, World world, long service, byte[] data)
      throws InterruptedException {
    CmEvent end = request(port, world, service, data).poll(1, TimeUnit.MINUTES);
    assertNotNull(end, "no answer");
    return ((CmEvent.Ended) end).reason();
  }

  private static byte[] header(String from, String to) throws Exception {
    return new CmaHeader(5, InetAddress.getByName(from), InetAddress.getByName(to))
        .before(new byte[0], CmKind.REQ);
  }

  @Test
  @DisplayName(
      "RD-2, M5: a foreign private header is rejected with reason 28, and counted by reason")
  void foreign() throws Exception {
    try (World world = new World(RxeHost.open(ONE, TWO));
        CmPort from = world.cm.open("rxe0", 1)) {
      int port = world.listen().localAddress().getPort();
      long service = PortSpace.TCP.serviceId(port);
      assertEquals(28, reason(from, world, service, new byte[] {0x10}));
      assertEquals(28, reason(from, world, service, new byte[] {0, 0x50}));
      assertEquals(28, reason(from, world, service, header(ONE, "127.0.42.3")), "not of this port");
      assertEquals(28, reason(from, world, service, header("224.0.0.1", TWO)));
      assertEquals(8, reason(from, world, service + 1, header(ONE, TWO)), "nothing listens");
      Map<String, Long> counts = world.server.counters();
      assertEquals(4, counts.values().stream().mapToLong(n -> n).sum(), counts::toString);
      assertEquals(4, counts.size(), counts::toString);
      request(from, world, service, header("127.0.42.9", TWO));
      assertEquals("127.0.42.9", world.request().remoteAddress().getAddress().getHostAddress());
      assertEquals(5, world.server.counters().size(), "RD-1: accepted, and counted");
    }
  }

  @Test
  @DisplayName("RD-6, K9: with a full backlog a REQ gets no answer; its repetition finds room")
  void backlog() throws Exception {
    try (World world = new World();
        CmPort seen = world.cm.open("soft1", 1)) {
      RdmaListener listener =
          world.server.listen(new InetSocketAddress(0), PortSpace.TCP, 1, world.requests::add);
      RdmaOptions options = RdmaOptions.rc().terms(new CmTerms(7, 16, 18, 15, 0)); // 1.1 s
      Party one = new Party();
      Party two = new Party();
      Party there = new Party();
      RdmaConnection first = world.client.start(world.at(listener), options, one, one);
      RdmaRequest asked = world.request();
      RdmaConnection second = world.client.start(world.at(listener), options, two, two);
      while (seen.counters().getOrDefault("dropped.BACKLOG", 0L) == 0) {
        LockSupport.parkNanos(1_000_000); // the test has a limit
      }
      assertNull(world.requests.peek());
      RdmaConnection accepted = asked.accept(RdmaOptions.rc(), there, there);
      world.request().reject(new byte[0]);
      assertEquals("RDMA_CM_EVENT_REJECTED, error 28", two.hear());
      assertEquals("ESTABLISHED", one.hear());
      first.close();
      second.close();
      accepted.close();
    }
  }
}

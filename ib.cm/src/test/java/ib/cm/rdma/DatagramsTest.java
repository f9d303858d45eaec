package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmTerms;
import ib.cm.CmUnresolvedException;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.driver.rxe.standalone.RxeHost;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("datagram services by address (RD-11)")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DatagramsTest {
  private static final int GRH = 40;
  private static final String ONE = "127.0.43.1";
  private static final String TWO = "127.0.43.2";
  private static final String CLOSED = "RDMA_CM_EVENT_CLOSED, error 0";
  private static final String REMOVED = "RDMA_CM_EVENT_DEVICE_REMOVAL, error 0";

  private final Party mine = new Party(QpType.UD);
  private final Party theirs = new Party(QpType.UD);

  private RdmaConnection start(World world, InetSocketAddress to, byte... data) {
    return world.client.start(to, RdmaOptions.ud().data(data), mine, mine);
  }

  private void whole(World world, InetAddress two) throws Exception {
    try (RdmaListener listener = world.listen(PortSpace.UDP)) {
      InetSocketAddress at = new InetSocketAddress(two, listener.localAddress().getPort());
      RdmaConnection asking = start(world, at, (byte) 7);
      assertThrows(IbInvalidException.class, asking::destination);
      RdmaRequest asked = world.request();
      assertTrue(asked.isDatagram());
      assertEquals(at, asked.localAddress());
      assertArrayEquals(Arrays.copyOf(new byte[] {7}, 180), asked.data());
      assertEquals(0, asked.initiatorDepth() + asked.responderResources());
      RdmaConnection answering =
          asked.accept(RdmaOptions.rc().data(new byte[] {8}), theirs, theirs);
      assertEquals("ESTABLISHED", theirs.hear());
      assertEquals("ESTABLISHED", mine.hear());
      assertEquals(asking.localAddress(), answering.remoteAddress());
      assertArrayEquals(Arrays.copyOf(new byte[] {8}, 136), asking.data());
      RdmaDestination to = asking.destination();
      assertEquals(theirs.qp().qpn(), to.qpn());
      assertEquals(PortSpace.DATAGRAM_QKEY, to.qkey(), "RD-12");
      assertThrows(IbInvalidException.class, answering::destination);
      mine.send(to, 100);
      assertEquals(GRH + 100, theirs.receive());
      assertTrue(asking.isOpen() && answering.isOpen());
      asking.close();
      assertEquals(CLOSED, mine.hear());
      assertTrue(answering.isOpen(), "the peer does not hear of it");
      answering.disconnect();
      assertEquals(CLOSED, theirs.hear());
      assertEquals(QpState.ERR, theirs.qp().state());
      answering.close();
    }
  }

  @Test
  @DisplayName("RD-12: over Ethernet: asked, answered, a datagram sent to the queue pair")
  void overEthernet() throws Exception {
    try (World world = new World(RxeHost.open(ONE, TWO))) {
      whole(world, InetAddress.getByName(TWO));
    }
  }

  @Test
  @DisplayName("over a fabric: asked, answered, a datagram sent to the queue pair")
  void overFabric() throws Exception {
    try (World world = new World()) {
      whole(world, world.address("soft1"));
    }
  }

  @Test
  @DisplayName("a port space has its own ports: status 1 for the TCP port of the same number (M9)")
  void nothingListens() throws Exception {
    try (World world = new World();
        RdmaListener tcp = world.listen()) {
      RdmaConnection asking = start(world, world.at(tcp));
      assertEquals("RDMA_CM_EVENT_UNREACHABLE, error 1", mine.hear());
      CmUnresolvedException why = assertInstanceOf(CmUnresolvedException.class, mine.end.why());
      assertEquals(1, why.status());
      assertEquals(0, world.requests.size());
      asking.close();
      try (RdmaListener udp =
          world.server.listen(tcp.localAddress(), PortSpace.UDP, 1, world.requests::add)) {
        assertEquals(tcp.localAddress(), udp.localAddress());
      }
    }
  }

  @Test
  @DisplayName("a service that does not want it: status 2, with the private data")
  void rejected() throws Exception {
    try (World world = new World();
        RdmaListener listener = world.listen(PortSpace.UDP)) {
      RdmaConnection asking = start(world, world.at(listener));
      RdmaRequest asked = world.request();
      assertThrows(IbInvalidException.class, () -> asked.reject(new byte[137]), "CM-10");
      byte[] data = new byte[136];
      Arrays.fill(data, (byte) 9);
      asked.reject(data);
      assertEquals("RDMA_CM_EVENT_UNREACHABLE, error 2", mine.hear());
      assertArrayEquals(data, mine.end.data());
      assertThrows(IbInvalidException.class, () -> asked.reject(new byte[0]), "answered already");
      asking.close();
    }
  }

  @Test
  @DisplayName("CM-10: 180 bytes of private data behind the header, and not one more")
  void most() throws Exception {
    try (World world = new World();
        RdmaListener listener = world.listen(PortSpace.UDP)) {
      byte[] data = new byte[180];
      Arrays.fill(data, (byte) 3);
      IbInvalidException e =
          assertThrows(
              IbInvalidException.class, () -> start(world, world.at(listener), new byte[181]));
      assertEquals("at most 180", e.hint());
      RdmaConnection asking = start(world, world.at(listener), data);
      assertArrayEquals(data, world.request().data());
      asking.close();
    }
  }

  @Test
  @DisplayName("one queue pair of the program serves all peers: no connection is made")
  void oneForAll() throws Exception {
    try (World world = new World();
        RdmaListener listener = world.listen(PortSpace.UDP);
        RdmaListener tcp = world.listen()) {
      RdmaConnection asking = start(world, world.at(listener));
      RdmaRequest asked = world.request();
      asked.answer(0x1234, 0x55, new byte[] {1});
      assertEquals("ESTABLISHED", mine.hear());
      assertEquals(
          new RdmaDestination(asking.destination().way(), 0x1234, 0x55), asking.destination());
      assertThrows(IbInvalidException.class, () -> asked.answer(1, 1, new byte[0]));
      asking.close();
      Party rc = new Party();
      RdmaConnection connecting = world.client.start(world.at(tcp), RdmaOptions.rc(), rc, rc);
      RdmaRequest connection = world.request();
      assertFalse(connection.isDatagram());
      assertThrows(IbInvalidException.class, () -> connection.answer(1, 1, new byte[0]));
      connection.reject(new byte[0]);
      connecting.close();
    }
  }

  @Test
  @DisplayName("a queue pair of another type: the attempt fails, the peer hears status 2")
  void wrongType() throws Exception {
    try (World world = new World();
        RdmaListener listener = world.listen(PortSpace.UDP)) {
      Party rc = new Party();
      RdmaConnection failed = world.client.start(world.at(listener), RdmaOptions.ud(), rc, rc);
      assertEquals("RDMA_CM_EVENT_CONNECT_ERROR, error -22", rc.hear());
      failed.close();
      RdmaConnection asking = start(world, world.at(listener));
      RdmaRequest asked = world.request();
      Party another = new Party();
      assertThrows(
          IbInvalidException.class, () -> asked.accept(RdmaOptions.rc(), another, another));
      assertEquals("RDMA_CM_EVENT_UNREACHABLE, error 2", mine.hear());
      asking.close();
    }
  }

  @Test
  @DisplayName("a listener that closes refuses the questions that wait; the answer comes too late")
  void listenerCloses() throws Exception {
    try (World world = new World()) {
      RdmaListener listener = world.listen(PortSpace.UDP);
      RdmaConnection asking = start(world, world.at(listener));
      RdmaRequest asked = world.request();
      listener.close();
      assertEquals("RDMA_CM_EVENT_UNREACHABLE, error 2", mine.hear());
      assertThrows(IbInvalidException.class, () -> asked.accept(RdmaOptions.rc(), theirs, theirs));
      asking.close();
    }
  }

  @Test
  @DisplayName("a question that has no answer ends after its repetitions, or when it is given up")
  void silence() throws Exception {
    try (World world = new World();
        RdmaListener listener = world.listen(PortSpace.UDP)) {
      RdmaOptions once = RdmaOptions.ud().terms(new CmTerms(7, 16, 14, 1, 0)); // 67 ms
      RdmaConnection asking = world.client.start(world.at(listener), once, mine, mine);
      assertEquals("RDMA_CM_EVENT_UNREACHABLE, error -110", mine.hear());
      asking.close();
      Party second = new Party(QpType.UD);
      RdmaConnection given =
          world.client.start(world.at(listener), RdmaOptions.ud(), second, second);
      world.request();
      world.request();
      given.disconnect();
      assertEquals(CLOSED, second.hear());
      given.close();
      assertThrows(Exception.class, () -> given.established().get(1, TimeUnit.MINUTES));
    }
  }

  @Test
  @DisplayName("API-6: a device goes: one end for each side; the listener serves the next device")
  void removed() throws Exception {
    try (World world = new World();
        RdmaListener listener = world.listen(PortSpace.UDP)) {
      InetSocketAddress at = world.at(listener);
      RdmaConnection asking = start(world, at);
      RdmaConnection answering = world.request().accept(RdmaOptions.ud(), theirs, theirs);
      assertEquals("ESTABLISHED", mine.hear());
      Party waits = new Party(QpType.UD);
      Thread closer = Thread.startVirtualThread(() -> closeAtEnd(answering));
      RdmaConnection waiting = world.client.start(at, RdmaOptions.ud(), waits, waits);
      RdmaRequest late = world.request();
      world.fabric.unplug("soft1");
      closer.join();
      assertEquals("ESTABLISHED", theirs.hear());
      assertEquals(REMOVED, theirs.hear());
      assertThrows(
          IbDisassociatedException.class, () -> late.accept(RdmaOptions.ud(), theirs, theirs));
      assertTrue(asking.isOpen(), "the client's device is there");
      waiting.close();
      asking.close();
    }
  }

  private static void closeAtEnd(RdmaConnection c) {
    c.ended().join();
    c.close();
  }
}

package ib.cm.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmEndpoint;
import ib.cm.CmPath;
import ib.cm.CmPort;
import ib.cm.CmTerms;
import ib.core.spi.PacketCapture;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.AhAttr;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.QpAttr;
import ib.core.verbs.QpState;
import ib.core.verbs.QpType;
import ib.driver.rxe.standalone.RxeHost;
import ib.driver.soft.standalone.SoftFabric;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("K22: connections of other transports than RC, by address")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransportsTest {
  private static final Set<QpType> BOTH = Set.of(QpType.RC, QpType.UC);

  /** The kinds of devices that have UC. */
  enum Kind {
    SOFT(() -> SoftFabric.open("soft0", "soft1"), "soft"),
    RXE(() -> RxeHost.open("127.0.47.1", "127.0.47.2"), "rxe");

    private final Supplier<StandaloneFabric> opens;
    private final String name;

    Kind(Supplier<StandaloneFabric> opens, String name) {
      this.opens = opens;
      this.name = name;
    }

    World world() {
      return new World(opens.get());
    }

    String device(int index) {
      return name + index;
    }
  }

  private static RdmaListener listen(World world, Set<QpType> types) {
    return world.server.listen(
        new InetSocketAddress(0), PortSpace.TCP, types, 4, world.requests::add);
  }

  private static InetSocketAddress at(World world, Kind kind, RdmaListener listener) {
    return new InetSocketAddress(world.address(kind.device(1)), listener.localAddress().getPort());
  }

  private static List<String> types(World world) {
    return world.cm.ids().stream().map(id -> id.state() + " " + id.type()).sorted().toList();
  }

  /** Connects, sends a message each way, ends; {@return the attributes of the active side} */
  private static QpAttr whole(
      World world, InetSocketAddress at, RdmaOptions options, boolean shared, String from)
      throws InterruptedException {
    Party mine = new Party(options.type(), shared);
    Party theirs = new Party(options.type(), shared);
    InetSocketAddress local = new InetSocketAddress(world.address(from), 0);
    RdmaConnection a = world.client.start(at, options.from(local), mine, mine);
    RdmaRequest asked = world.request();
    assertEquals(options.type(), asked.type());
    RdmaConnection p = asked.accept(RdmaOptions.rc(), theirs, theirs); // its type is the request's
    assertEquals("ESTABLISHED", mine.hear());
    assertEquals("ESTABLISHED", theirs.hear());
    String connected = "CONNECT " + options.type();
    assertTrue(types(world).containsAll(List.of(connected, connected)), "" + types(world));
    mine.send(100);
    assertEquals(100, theirs.receive());
    theirs.send(200);
    assertEquals(200, mine.receive());
    QpAttr attr = mine.qp().query();
    assertEquals(theirs.qp().query().rqPsn(), attr.sqPsn(), "each begins with the other's number");
    a.disconnect();
    assertEquals("RDMA_CM_EVENT_DISCONNECTED, error 0", mine.hear());
    assertEquals("RDMA_CM_EVENT_DISCONNECTED, error 0", theirs.hear());
    assertEquals(QpState.ERR, mine.qp().state());
    assertEquals(QpState.ERR, theirs.qp().state());
    a.close();
    p.close();
    return attr;
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("K22: UC and RC at one listener, data both ways, with shared receive queues, too")
  void unreliable(Kind kind) throws Exception {
    try (World world = kind.world();
        RdmaListener listener = listen(world, BOTH)) {
      InetSocketAddress at = at(world, kind, listener);
      assertEquals("LISTEN RC,UC", types(world).getLast());
      QpAttr rc = whole(world, at, RdmaOptions.rc(), false, kind.device(0));
      assertEquals(7, rc.retryCount());
      whole(world, at, RdmaOptions.uc(), false, kind.device(0));
      whole(world, at, RdmaOptions.uc().space(PortSpace.TCP), true, kind.device(0));
      whole(world, at, RdmaOptions.rc(), true, kind.device(0));
    }
  }

  @Test
  @DisplayName("K22: options of UC have no reads and no retries for receives")
  void options() {
    RdmaOptions uc = RdmaOptions.uc();
    assertEquals(QpType.UC, uc.type());
    assertEquals(
        List.of(0, 0, 0), List.of(uc.responderResources(), uc.initiatorDepth(), uc.rnrRetry()));
    assertEquals(PortSpace.TCP, uc.space());
    assertEquals(QpType.UD, uc.space(PortSpace.UDP).type(), "that space has datagrams only");
    assertEquals(QpType.RC, RdmaOptions.ud().space(PortSpace.IB).type());
    assertThrows(IbInvalidException.class, () -> RdmaOptions.rc().type(QpType.GSI));
  }

  /** {@return why a connection was not made} */
  private static RdmaRejectedException rejected(
      World world, InetSocketAddress at, RdmaOptions options) {
    return assertThrows(
        RdmaRejectedException.class,
        () -> world.client.connect(at, options, new Party(options.type())));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("K22: a listener of another type: rejected with reason 9, and it says what to try")
  void otherType(Kind kind) {
    try (World world = kind.world();
        RdmaListener rc = world.listen();
        RdmaListener uc = listen(world, Set.of(QpType.UC))) {
      RdmaRejectedException why = rejected(world, at(world, kind, rc), RdmaOptions.uc());
      assertEquals(9, why.reason());
      assertTrue(why.getMessage().contains("the wrong type of queue pair"), why.getMessage());
      assertEquals(9, rejected(world, at(world, kind, uc), RdmaOptions.rc()).reason());
      assertEquals(List.of(), List.copyOf(world.requests), "no handler hears of them");
      assertEquals(List.of("LISTEN RC", "LISTEN RC", "LISTEN UC", "LISTEN UC"), types(world));
    }
  }

  @Test
  @DisplayName("K22, RD-20: listeners of one port have each their own types")
  void byAddress() throws Exception {
    try (World world = Kind.SOFT.world();
        RdmaListener all = world.listen();
        RdmaListener one =
            world.server.listen(
                at(world, Kind.SOFT, all),
                PortSpace.TCP,
                Set.of(QpType.UC),
                4,
                world.requests::add)) {
      InetSocketAddress at = at(world, Kind.SOFT, all);
      assertEquals(at, one.localAddress());
      whole(world, at, RdmaOptions.uc(), false, "soft0");
      assertEquals(9, rejected(world, at, RdmaOptions.rc()).reason());
      InetSocketAddress other = new InetSocketAddress(world.address("soft0"), at.getPort());
      whole(world, other, RdmaOptions.rc(), false, "soft1");
      assertEquals(9, rejected(world, other, RdmaOptions.uc()).reason());
      Map<String, Long> refused = world.server.counters();
      assertEquals(
          Map.of(
              "no queue pair of the type that the peer has (RC)", 1L,
              "no queue pair of the type that the peer has (UC)", 1L),
          refused);
    }
  }

  @Test
  @DisplayName("K22: the factory makes a queue pair of another type: the connection is not made")
  void wrongFactory() {
    try (World world = Kind.SOFT.world();
        RdmaListener listener = listen(world, BOTH)) {
      InetSocketAddress at = at(world, Kind.SOFT, listener);
      IbInvalidException why =
          assertThrows(
              IbInvalidException.class,
              () -> world.client.connect(at, RdmaOptions.uc(), new Party(QpType.RC)));
      assertTrue(why.getMessage().contains("a queue pair of type RC"), why.getMessage());
      assertEquals("QpType.UC", why.hint());
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("K22: no device has XRC: refused before a queue pair is made, and nothing is sent")
  void extended(Kind kind) throws Exception {
    try (World world = kind.world();
        RdmaListener listener = listen(world, BOTH)) {
      Pool none = new Pool(QpType.XRC_INI);
      RdmaOptions xrc = RdmaOptions.rc().type(QpType.XRC_INI);
      IbException why =
          assertThrows(
              IbNotSupportedException.class,
              () -> world.client.connect(at(world, kind, listener), xrc, none));
      assertTrue(why.getMessage().contains("queue pairs of type XRC_INI"), why.getMessage());
      assertEquals("[RC, UC]", why.hint());
      assertEquals(0, none.made());
      InetSocketAddress any = new InetSocketAddress(0);
      assertThrows(
          IbNotSupportedException.class,
          () -> world.server.listen(any, PortSpace.TCP, Set.of(QpType.XRC_TGT), 4, r -> {}));
      for (Set<QpType> wrong :
          List.of(Set.<QpType>of(), Set.of(QpType.UD), Set.of(QpType.RC, QpType.XRC_INI))) {
        assertThrows(
            IbInvalidException.class,
            () -> world.server.listen(any, PortSpace.TCP, wrong, 4, r -> {}));
      }
      assertThrows(
          IbInvalidException.class,
          () -> world.server.listen(any, PortSpace.UDP, Set.of(QpType.RC), 4, r -> {}));
      try (CmPort port = world.cm.open(kind.device(0), 1)) {
        assertEquals(BOTH, port.types());
        IbDevice device = world.fabric.device(kind.device(0));
        CmPath path = CmPath.back(device, AhAttr.ofLid(1, 2, 0));
        CmEndpoint mine = CmEndpoint.of(5, 6).type(QpType.XRC_INI);
        assertThrows(
            IbNotSupportedException.class,
            () -> port.connect(1, path, mine, CmTerms.DEFAULT, new byte[0], (c, e) -> {}));
        assertThrows(
            IbNotSupportedException.class,
            () -> port.listen(1, Set.of(QpType.XRC_TGT), x -> true, 1, (c, e) -> {}));
        assertEquals(0L, port.counters().getOrDefault("sent.REQ", 0L));
      }
    }
  }

  @Test
  @DisplayName("K22: a capture's comment names the transport of a REQ")
  void captured() throws Exception {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    try (World world = Kind.SOFT.world();
        RdmaListener listener = listen(world, BOTH)) {
      PacketCapture capture = world.fabric.service("soft0", PacketCapture.class);
      try (var session = capture.start(Channels.newChannel(file), PacketCapture.Filter.ALL)) {
        InetSocketAddress at = at(world, Kind.SOFT, listener);
        whole(world, at, RdmaOptions.uc(), false, "soft0");
        assertEquals(0, session.dropped());
      }
    }
    String text = file.toString(StandardCharsets.ISO_8859_1);
    assertTrue(text.matches("(?s).*CM REQ id 0x[0-9a-f]{8}, [ -~]*, UC, .*"), "UC");
  }
}

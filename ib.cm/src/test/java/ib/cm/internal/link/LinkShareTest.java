package ib.cm.internal.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmConnection;
import ib.cm.CmEnd;
import ib.cm.CmEndpoint;
import ib.cm.CmEvent;
import ib.cm.CmListener;
import ib.cm.CmPath;
import ib.cm.CmTerms;
import ib.core.client.DeviceLease;
import ib.core.cm.ConnectorEnd;
import ib.core.cm.ConnectorSpace;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmaHeader;
import ib.core.serial.End;
import ib.core.serial.Waits;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Gid;
import ib.core.verbs.IbDisassociatedException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.QpType;
import ib.driver.soft.standalone.SoftFabric;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 17, V8: ib.cm where the host has the connection manager")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LinkShareTest {
  private static final long PORT_7000 = 0x0106_1b58L;
  private static final byte[] NONE = {};
  private static final CmEndpoint MINE = new CmEndpoint(0x55, 0x999, 1, 1, 7, false);

  private record Heard(CmConnection connection, CmEvent event) {}

  private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();
  private final StandaloneFabric fabric = SoftFabric.open("soft0", "soft1");
  private final DeviceLease lease = fabric.core().lease("soft0", "test");
  private final FakeConnector host = new FakeConnector();
  private final LinkShare share = new LinkShare(lease.device(), 1, host, s -> {});

  @AfterEach
  void close() {
    share.close();
    lease.close();
    fabric.close();
  }

  private Gid gid() {
    return lease.device().gid(1, 0);
  }

  private InetAddress address() throws Exception {
    return InetAddress.getByAddress(gid().toBytes());
  }

  private CmConnection connect(CmTerms terms) throws Exception {
    byte[] data = new CmaHeader(4711, address(), address()).before(new byte[] {5}, CmKind.REQ);
    CmPath path = CmPath.roce(lease.device(), 1, 0, gid());
    return share.connect(PORT_7000, path, MINE, terms, data, this::hear);
  }

  private CmConnection connect() throws Exception {
    return connect(CmTerms.DEFAULT);
  }

  private void hear(CmConnection c, CmEvent e) {
    heard.add(new Heard(c, e));
  }

  private <T extends CmEvent> T next(Class<T> what) throws InterruptedException {
    Heard h = heard.poll(1, TimeUnit.MINUTES);
    assertNotNull(h, "no " + what.getSimpleName());
    return assertInstanceOf(what, h.event);
  }

  private void nothingMore() {
    share.close(); // it waits for the callbacks
    assertNull(heard.poll());
  }

  private CmConnection open() throws Exception {
    CmConnection c = connect();
    host.events.replied(FakeConnector.PEER, FakeConnector.PSNS, new byte[196]);
    assertEquals(0x2222, next(CmEvent.Replied.class).peer().startingPsn());
    c.ready(NONE);
    next(CmEvent.Established.class);
    return c;
  }

  @Test
  @DisplayName("an active side: the addresses, the host's PSNs, and the events in order")
  void active() throws Exception {
    CmConnection c = open();
    assertEquals(new InetSocketAddress(address(), 7000), host.attempt.remote());
    assertEquals(new InetSocketAddress(address(), 4711), host.attempt.local());
    assertEquals(1, host.attempt.data().length);
    assertEquals(0x1111, c.announced(MINE).startingPsn(), "the host's, not the owner's");
    c.end();
    assertEquals(List.of("connect", "confirm", "disconnect"), List.copyOf(host.commands));
    host.events.ended(ConnectorEnd.DISCONNECTED, 0, NONE);
    assertEquals(CmEnd.DISCONNECTED, next(CmEvent.Ended.class).how());
    next(CmEvent.Released.class);
    nothingMore();
    assertEquals(1, host.closes.get());
  }

  @Test
  @DisplayName(
      "A5: a peer that has not answered by the deadline is unreachable; one that has, stays")
  void deadline() throws Exception {
    connect(CmTerms.DEFAULT.deadlineMs(1));
    assertEquals(CmEnd.UNREACHABLE, next(CmEvent.Ended.class).how());
    next(CmEvent.Released.class);
    host.connecting = e -> e.replied(FakeConnector.PEER, FakeConnector.PSNS, new byte[196]);
    CmConnection answered = connect(CmTerms.DEFAULT.deadlineMs(1));
    next(CmEvent.Replied.class);
    host.connecting = e -> {};
    connect(CmTerms.DEFAULT.deadlineMs(20));
    assertEquals(CmEnd.UNREACHABLE, next(CmEvent.Ended.class).how());
    assertEquals("REPLIED", answered.state(), "its deadline has passed before the other one's");
  }

  @Test
  @DisplayName("an event that is faster than the call which has begun the connection waits for it")
  void fast() throws Exception {
    host.connecting = e -> e.replied(FakeConnector.PEER, FakeConnector.PSNS, new byte[196]);
    BlockingQueue<String> ready = new LinkedBlockingQueue<>();
    byte[] data = new CmaHeader(4711, address(), address()).before(NONE, CmKind.REQ);
    share.connect(
        PORT_7000,
        CmPath.roce(lease.device(), 1, 0, gid()),
        MINE,
        CmTerms.DEFAULT,
        data,
        (c, e) -> {
          if (e instanceof CmEvent.Replied) {
            c.ready(NONE);
            ready.add(c.state());
          }
        });
    assertEquals("OPEN", ready.poll(1, TimeUnit.MINUTES));
  }

  @Test
  @DisplayName("API-3: a host that says an end and then refuses leaves no callback that waits")
  void refusedAfterAnEvent() {
    host.connecting =
        e -> {
          e.ended(ConnectorEnd.FAILED, 0, NONE);
          throw new IbNoDeviceException("connect", "planted", "");
        };
    assertThrows(IbNoDeviceException.class, this::connect);
    LinkConnection begun = assertInstanceOf(LinkConnection.class, host.events);
    Waits graph = Waits.of(lease.device());
    End end = begun.drain(graph, Waits.Rank.CLOSES, "its callbacks", TimeUnit.SECONDS.toNanos(20));
    assertTrue(end.kind() != End.Kind.TIMEOUT && end.kind() != End.Kind.REFUSED, end::toString);
    nothingMore();
  }

  @Test
  @DisplayName("API-4: of two ends at once one is heard, and the link is closed once")
  void oneEnd() throws Exception {
    for (int i = 1; i <= 300; i++) {
      CmConnection c = connect();
      CyclicBarrier together = new CyclicBarrier(2);
      Thread peer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    meet(together);
                    host.events.ended(ConnectorEnd.REJECTED, 28, NONE);
                  });
      meet(together);
      c.end();
      peer.join();
      next(CmEvent.Ended.class);
      next(CmEvent.Released.class);
    }
    nothingMore();
    assertEquals(300, host.closes.get());
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private InetSocketAddress at() throws Exception {
    return new InetSocketAddress(address(), 7000);
  }

  @Test
  @DisplayName("a passive side: the peer's addresses and PSNs, accept, RTU, disconnect by the peer")
  void passive() throws Exception {
    CmListener listener = share.listen(PORT_7000, 2, this::hear);
    host.arrive(at(), gid());
    Heard h = heard.poll(1, TimeUnit.MINUTES);
    CmEvent.Requested asked = assertInstanceOf(CmEvent.Requested.class, h.event);
    assertEquals(92, asked.privateData().length);
    assertEquals(4000, CmaHeader.read(asked.privateData()).port());
    assertEquals(gid(), asked.path().local());
    assertEquals(0x2222, asked.peer().startingPsn());
    assertEquals(18, asked.terms().ackTimeout());
    h.connection.accept(MINE, NONE);
    host.events.established();
    next(CmEvent.Established.class);
    listener.close();
    assertTrue(host.listeners.isEmpty());
    host.events.ended(ConnectorEnd.DISCONNECTED, 0, NONE);
    next(CmEvent.Ended.class);
    next(CmEvent.Released.class);
    nothingMore();
    assertEquals(List.of("listen TCP", "accept 85", "close"), List.copyOf(host.commands));
  }

  @Test
  @DisplayName("a request beyond the backlog is rejected, and the handler hears nothing of it")
  void backlog() throws Exception {
    share.listen(PORT_7000, 1, this::hear);
    host.arrive(at(), gid());
    host.arrive(at(), gid());
    next(CmEvent.Requested.class);
    assertEquals(2, share.counters().get("received.REQ"));
    assertEquals(1, share.counters().get("dropped.BACKLOG"));
    share.close();
    assertEquals(CmEnd.CLOSED, next(CmEvent.Ended.class).how());
    next(CmEvent.Released.class);
    nothingMore();
  }

  @Test
  @DisplayName("CM-46: a listener that is closed ends the requests that were not answered")
  void withdrawn() throws Exception {
    CmListener listener = share.listen(PORT_7000, 1, this::hear);
    host.arrive(at(), gid());
    CmConnection c = heard.poll(1, TimeUnit.MINUTES).connection;
    listener.close();
    assertEquals(CmEnd.CLOSED, next(CmEvent.Ended.class).how());
    assertThrows(IbInvalidException.class, () -> c.accept(MINE, NONE));
  }

  @Test
  @DisplayName("a listener follows the addresses of the port when the backlog is said again")
  void addresses() throws Exception {
    host.absent.add(address());
    CmListener listener = share.listen(PORT_7000, 1, this::hear);
    assertTrue(host.listeners.isEmpty(), "a GID that is no address of the host yet");
    host.absent.clear();
    listener.backlog(1);
    assertEquals(1, host.listeners.size());
  }

  @Test
  @DisplayName("PortSpace.IB: connections of their own service IDs, by the host's port space")
  void infiniBand() throws Exception {
    long id = 0x013f_1b58L;
    CmListener listener = share.listen(id, 1, this::hear);
    assertEquals(List.of("listen IB"), List.copyOf(host.commands));
    host.arrive(at(), gid());
    assertEquals(id, next(CmEvent.Requested.class).serviceId());
    listener.close();
    byte[] data = new CmaHeader(4711, address(), address()).before(NONE, CmKind.REQ);
    CmPath path = CmPath.roce(lease.device(), 1, 0, gid());
    share.connect(id, path, MINE, CmTerms.DEFAULT, data, this::hear);
    assertEquals(ConnectorSpace.IB, host.attempt.space());
  }

  @Test
  @DisplayName("what the host cannot do is refused by a typed error that says so")
  void refusals() throws Exception {
    CmPath path = CmPath.roce(lease.device(), 1, 0, gid());
    IbNotSupportedException e =
        assertThrows(
            IbNotSupportedException.class, () -> share.listen(0x0111_1b58L, 1, this::hear));
    assertTrue(e.getMessage().contains("port space TCP"), e.getMessage());
    byte[] ends = new CmaHeader(4711, address(), address()).before(NONE, CmKind.SIDR_REQ);
    assertThrows(
        IbNotSupportedException.class, () -> share.resolve(PORT_7000, path, CmTerms.DEFAULT, ends));
    assertThrows(IbNotSupportedException.class, () -> share.serve(PORT_7000, 1, q -> {}));
    assertEquals(Set.of(QpType.RC), share.types());
    CmEndpoint uc = MINE.type(QpType.UC);
    IbNotSupportedException k22 =
        assertThrows(
            IbNotSupportedException.class,
            () -> share.connect(PORT_7000, path, uc, CmTerms.DEFAULT, ends, this::hear));
    assertTrue(k22.getMessage().contains("queue pairs of type [UC]"), k22.getMessage());
    Set<QpType> both = Set.of(QpType.RC, QpType.UC);
    assertThrows(
        IbNotSupportedException.class,
        () -> share.listen(PORT_7000, both, x -> true, 1, this::hear));
    assertEquals(List.of(), List.copyOf(host.commands), "K22: the host hears nothing of UC");
    host.refusal = new IbExistsException("connect", "in use", "");
    assertThrows(IbExistsException.class, this::connect);
    host.refusal = null;
    share.close();
    assertThrows(IbDisassociatedException.class, this::connect);
  }
}

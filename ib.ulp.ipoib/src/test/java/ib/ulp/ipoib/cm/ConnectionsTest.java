package ib.ulp.ipoib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.cm.CmConnection;
import ib.core.mad.cm.CmField;
import ib.core.mad.cm.CmKind;
import ib.core.mad.cm.CmMessage;
import ib.ulp.ipoib.cm.CmWorld.Node;
import ib.ulp.ipoib.cm.Connection.State;
import ib.ulp.ipoib.wire.Connected;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many seeds is set by {@code -Dib.ipoib.cm.seeds=}. */
@DisplayName("issue 5, section 3: connections of IPoIB, in virtual time")
class ConnectionsTest {
  private static final int SEEDS = Integer.getInteger("ib.ipoib.cm.seeds", 400);
  private static final long SECOND = 1_000_000_000L;

  /** A life: interfaces connect, send and part, while messages are lost, repeated, reordered. */
  private static void life(long seed, boolean bug) {
    CmWorld world = new CmWorld(seed);
    for (int i = 0; i < 3; i++) {
      Node node = world.add(world.random.nextInt(1 << 24), Connections.MAX_ACCEPTED);
      Set<Integer> once = new HashSet<>();
      if (bug) {
        node.bug = m -> m.kind() == CmKind.DREQ && !once.add(m.localId());
      }
    }
    world.loss = world.random.nextDouble() * 0.4;
    world.repeats = 0.2;
    world.delayNs = SECOND;
    for (int i = 0; i < 60; i++) {
      Node from = world.nodes.get(world.random.nextInt(3));
      Node to = world.nodes.get(world.random.nextInt(3));
      if (from == to) {
        continue;
      }
      switch (world.random.nextInt(4)) {
        case 0, 1 -> from.connect(to);
        case 2 -> from.packet(to);
        default -> {
          Connection c = from.connections.to(to.address);
          if (c != null) {
            from.connections.disconnect(c, "test");
          }
        }
      }
      world.pass((long) (world.random.nextDouble() * SECOND));
    }
    world.pass(300 * SECOND);
    world.check();
    world.end();
  }

  @Test
  @DisplayName(
      "IBA 12.9, C3: both ends agree in the end, whatever is lost, repeated or reordered; seeded")
  void lossAndReordering() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      long one = seed;
      try {
        life(seed, false);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + one, e);
      }
    }
  }

  @Test
  @DisplayName("canary: a DREQ that is not repeated leaves half a connection, which is found")
  void plantedBug() {
    assertThrows(
        AssertionError.class,
        () -> {
          for (long seed = 1; seed <= SEEDS; seed++) {
            life(seed, true);
          }
        });
  }

  @Test
  @DisplayName("C3: the owner and the peer hear of an end also when the device cannot close it")
  void brokenDevice() {
    CmWorld world = new CmWorld(1);
    Node a = world.add(5, 9);
    Node b = world.add(9, 9);
    a.connect(b);
    world.pass(SECOND);
    Connection c = a.connections.to(b.address);
    a.broken = true;
    assertThrows(IllegalStateException.class, () -> a.connections.disconnect(c, "test"));
    a.broken = false;
    assertEquals(List.of(b.address), a.downs);
    world.pass(4 * SECOND);
    assertEquals(State.CLOSED, c.state());
    assertEquals(0, a.entries(), "the name is free again");
    assertEquals(List.of(), b.connections.all());
    world.check();
    world.end();
  }

  @ParameterizedTest(name = "{0} against {1}")
  @CsvSource({"5, 9", "9, 5", "0x800000, 0x7fffff"})
  @DisplayName(
      "C3: of two requests that cross, that of the greater address survives; both ends "
          + "send on it")
  void crossing(String one, String other) {
    CmWorld world = new CmWorld(1);
    world.delayNs = 0; // neither is answered before it has met the other
    Node a = world.add(Integer.decode(one), 9);
    Node b = world.add(Integer.decode(other), 9);
    a.connect(b);
    b.connect(a);
    world.pass(SECOND);
    Node greater = a.address.qpn() > b.address.qpn() ? a : b;
    Node smaller = greater == a ? b : a;
    assertEquals(1, a.connections.all().size());
    assertEquals(1, b.connections.all().size());
    assertTrue(greater.connections.all().getFirst().active());
    assertEquals(List.of(greater.address), smaller.ups, "it sends by the peer's");
    CmMessage rej =
        greater.said.stream().filter(m -> m.kind() == CmKind.REJ).findFirst().orElseThrow();
    assertEquals(CmConnection.CONSUMER_REJECT, rej.value(CmField.REJ_REASON));
    smaller.packet(greater);
    greater.packet(smaller);
    world.check();
    world.end();
  }

  @Test
  @DisplayName(
      "C3: a peer that accepts although it should not, as Linux does, gives two; both live")
  void linuxIgnoresTheRule() {
    CmWorld world = new CmWorld(1);
    Node ours = world.add(5, 9); // the smaller one: it is to accept
    Node linux = world.add(9, 9);
    world.loss = 1;
    ours.connect(linux); // under way when theirs comes
    world.loss = 0;
    linux.connect(ours);
    world.pass(2 * CmWorld.RESPONSE_NS);
    assertEquals(2, ours.connections.all().size());
    assertEquals(2, linux.connections.all().size());
    assertTrue(ours.connections.to(linux.address).active());
    assertTrue(linux.connections.to(ours.address).active());
    ours.packet(linux);
    linux.packet(ours);
    world.check();
    world.end();
  }

  @ParameterizedTest
  @EnumSource(
      value = CmKind.class,
      names = {"REQ", "REP", "RTU"})
  @DisplayName(
      "C2: a lost REQ or REP is sent again after 4.3 s, a lost RTU when the REP arrives " + "again")
  void lost(CmKind kind) {
    CmWorld world = new CmWorld(1);
    Node a = world.add(5, 9);
    Node b = world.add(9, 9);
    boolean[] lost = {false};
    a.bug =
        m -> {
          boolean now = !lost[0] && m.kind() == kind;
          lost[0] |= now;
          return now;
        };
    b.bug = a.bug;
    a.connect(b);
    world.pass((4096L << 20) - 1);
    assertTrue(lost[0]);
    assertEquals(0, b.ups.size());
    world.pass(2 * SECOND);
    assertNotNull(a.connections.to(b.address));
    assertEquals(State.ESTABLISHED, b.connections.all().getFirst().state());
    world.check();
    world.end();
  }

  @Test
  @DisplayName(
      "C2: after 15 repetitions, 4.3 s apart, the connection is closed and nothing is left")
  void nobodyAnswers() {
    CmWorld world = new CmWorld(1);
    Node a = world.add(5, 9);
    Node b = world.add(9, 9);
    world.loss = 1;
    a.connect(b);
    world.pass(15 * CmWorld.RESPONSE_NS);
    assertTrue(a.connections.coming(b.address));
    for (int i = 0; i < 20 && a.said.size() < 17; i++) {
      world.pass(SECOND);
    }
    assertEquals(16, a.said.stream().filter(m -> m.kind() == CmKind.REQ).count());
    assertEquals(CmKind.REJ, a.said.getLast().kind(), "it says that it gives up");
    assertTrue(!a.connections.coming(b.address));
    world.check();
    world.end();
  }

  @Test
  @DisplayName(
      "C2: what goes over the wire: RC, 4 responder resources, timeouts 20, 15 retries, SRQ")
  void requestOfLinux() {
    CmWorld world = new CmWorld(1);
    Node a = world.add(0x48, 9);
    Node b = world.add(0x49, 9);
    a.connect(b);
    world.pass(SECOND);
    CmMessage req = a.said.getFirst();
    assertEquals(Connected.linuxServiceId(0x49), req.longValue(CmField.REQ_SERVICE_ID));
    assertEquals(new Connected(0x48, 65_524), Connected.of(req.privateData()), "W13");
    assertEquals(0, req.value(CmField.REQ_TRANSPORT), "RC");
    assertEquals(4, req.value(CmField.REQ_RESPONDER_RESOURCES));
    assertEquals(20, req.value(CmField.REQ_LOCAL_CM_TIMEOUT));
    assertEquals(20, req.value(CmField.REQ_REMOTE_CM_TIMEOUT));
    assertEquals(15, req.value(CmField.REQ_MAX_CM_RETRIES));
    assertEquals(1, req.value(CmField.REQ_SRQ));
    assertEquals(0, req.value(CmField.REQ_RETRY), "RFC 4755 warns against retries below IP");
    assertEquals(0, req.value(CmField.REQ_RNR_RETRY));
    CmMessage rep = b.said.getFirst();
    assertEquals(new Connected(0x49, 65_524), Connected.of(rep.privateData()), "W13");
    assertEquals(65_520, a.connections.to(b.address).mtu(), "C4");
    world.end();
  }

  @Test
  @DisplayName("C2: a request above the limit of passive connections gets REJ, no resources")
  void limit() {
    CmWorld world = new CmWorld(1);
    Node busy = world.add(1, 2);
    for (int i = 2; i <= 4; i++) {
      world.add(i, 9).connect(busy);
      world.pass(SECOND);
    }
    assertEquals(2, busy.connections.all().size());
    assertNull(world.nodes.getLast().connections.to(busy.address));
    assertEquals(CmConnection.NO_RESOURCES, busy.said.getLast().value(CmField.REJ_REASON));
    world.check();
    world.end();
  }

  @Test
  @DisplayName(
      "C2: a passive connection idle for 512 s is closed at the next check, every 768 s; "
          + "a busy one stays")
  void idlePassive() {
    CmWorld world = new CmWorld(1);
    Node a = world.add(5, 9);
    Node b = world.add(9, 9);
    Node quiet = world.add(7, 9);
    a.connect(b);
    quiet.connect(b);
    world.pass(SECOND);
    world.pass(400 * SECOND);
    a.packet(b);
    world.pass(366 * SECOND); // 767 s
    assertEquals(2, b.connections.all().size());
    world.pass(2 * SECOND);
    assertEquals(1, b.connections.all().size());
    assertNull(quiet.connections.to(b.address), "it was told");
    world.pass(766 * SECOND);
    assertEquals(1, b.connections.all().size());
    world.pass(2 * SECOND);
    assertEquals(0, b.connections.all().size());
    world.check();
    world.end();
  }

  @ParameterizedTest(name = "RFC 4755''s form: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName(
      "B11, W14: a request in either form is taken by an interface that listens; one that does not"
          + " leaves it unanswered; a name that is no interface's gets REJ 8")
  void listening(boolean rfc) {
    CmWorld world = new CmWorld(1);
    Node a = world.add(5, 9);
    Node b = world.add(9, 9);
    a.connections.stop();
    a.connections.start(a.self(rfc));
    b.connections.stop();
    a.connect(b);
    world.pass(SECOND);
    assertEquals(List.of(), b.said, "as one that is being made");
    b.connections.start(b.self(false));
    world.pass(2 * CmWorld.RESPONSE_NS);
    assertEquals(State.ESTABLISHED, a.connections.to(b.address).state());
    world.add(7, 9).connect(world.new Node(2, 8, 9));
    world.pass(SECOND);
    CmMessage rej = b.said.getLast();
    assertEquals(CmKind.REJ, rej.kind());
    assertEquals(8, rej.value(CmField.REJ_REASON));
    world.check();
    world.end();
  }
}

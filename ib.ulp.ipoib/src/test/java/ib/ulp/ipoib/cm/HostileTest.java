package ib.ulp.ipoib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.Mad;
import ib.core.mad.MadMethod;
import ib.core.mad.MgmtClass;
import ib.core.mad.cm.CmKind;
import ib.core.verbs.AhAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.GlobalRoute;
import ib.ulp.ipoib.cm.CmWorld.Node;
import ib.ulp.ipoib.wire.Connected;
import ib.ulp.ipoib.wire.Octets;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 5, section 5: connection manager messages with arbitrary bytes")
class HostileTest {
  private static final int MESSAGES = 100_000;

  @Test
  @DisplayName("nothing is thrown, no more is held than one port may have, a live one lives on")
  void random() {
    CmWorld world = new CmWorld(1);
    Node victim = world.add(1, Connections.MAX_ACCEPTED);
    Node friend = world.add(2, 9);
    world.add(3, 9); // where the answers to LID 3 go
    friend.connect(victim);
    world.pass(1_000_000_000L);
    int guessed = victim.connections.all().getFirst().cm.localId();
    for (int i = 0; i < MESSAGES; i++) {
      int attribute = CmKind.REQ.attribute() + world.random.nextInt(13) - 1;
      Mad mad = Mad.request(MgmtClass.CM, 2, MadMethod.SEND, attribute, 0);
      MemorySegment s = mad.data();
      byte[] bytes = new byte[(int) s.byteSize()];
      world.random.nextBytes(bytes);
      s.copyFrom(MemorySegment.ofArray(bytes));
      if (attribute == CmKind.REQ.attribute() && world.random.nextBoolean()) {
        plausible(s, victim);
      } else if (world.random.nextBoolean()) {
        Octets.u32(s, 4, guessed); // for once
      }
      victim.station.received(mad, way(world.random.nextInt(4)), 0);
      while (victim.loop.turn()) {
        assertTrue(victim.connections.all().size() <= 1 + Connections.MAX_PER_PEER);
      }
      victim.said.clear();
    }
    assertEquals(0, victim.loop.failures());
    assertTrue(victim.refusals.of(Refusal.SOURCE) > 0);
    assertTrue(victim.refusals.of(Refusal.PEER_LIMIT) > 0);
    assertTrue(victim.station.counters().get("dropped.UNKNOWN_CONNECTION") > 0);
    assertTrue(victim.station.counters().get("dropped.FOREIGN_SOURCE") > 0);
    friend.packet(victim);
    assertEquals(1, friend.connections.all().size());
    for (Connection c : victim.connections.all()) {
      if (c.peer.equals(friend.address)) {
        victim.connections.disconnect(c, "the end");
      }
    }
    world.pass(1_000_000_000L);
    assertEquals(List.of(), friend.connections.all(), "it knows who its peer is, as before");
  }

  private static AhAttr way(int kind) {
    return kind < 2
        ? AhAttr.ofLid(1, 3, 0, GlobalRoute.to(Gid.linkLocal(0x103 + kind), 0))
        : AhAttr.ofLid(1, 3, 0);
  }

  /** One that is believed at first sight. */
  private static void plausible(MemorySegment s, Node victim) {
    Octets.u64(s, 8, Connected.linuxServiceId(victim.address.qpn()));
    Octets.u8(s, 43, 0);
    Octets.u16(s, 48, 0xffff);
    Octets.u8(s, 50, 0x40);
    Octets.u16(s, 52, 3);
    Octets.u64(s, 56, Gid.linkLocal(0x103).high());
    Octets.u64(s, 64, Gid.linkLocal(0x103).low());
    Octets.u64(s, 72, victim.address.gid().high());
    Octets.u64(s, 80, victim.address.gid().low());
    Octets.u32(s, 144, CmWorld.RECEIVE_MTU);
  }
}

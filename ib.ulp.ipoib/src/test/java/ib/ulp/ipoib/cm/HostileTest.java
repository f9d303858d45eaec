package ib.ulp.ipoib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    CmParty party = victim.listener;
    assertNotNull(party);
    for (int i = 0; i < MESSAGES; i++) {
      byte[] bytes = new byte[CmMessage.BYTES];
      world.random.nextBytes(bytes);
      MemorySegment s = MemorySegment.ofArray(bytes);
      int attribute = CmMessage.REQ + world.random.nextInt(9) - 1;
      if (attribute == CmMessage.REQ && world.random.nextBoolean()) {
        plausible(s, victim);
      } else if (world.random.nextBoolean() && !victim.names.isEmpty()) {
        Octets.u32(s, 4, victim.names.keySet().iterator().next()); // guessed, for once
      }
      CmMessage message = CmMessage.read(attribute, s);
      boolean kills = message instanceof CmMessage.DisconnectRequest; // of who guesses one number
      if (message != null && !(kills && victim.names.containsKey(message.remoteId()))) {
        party.received(i, message, way(world.random.nextInt(3)));
        while (victim.loop.turn()) {
          assertTrue(victim.connections.all().size() <= 1 + Connections.MAX_PER_PEER);
        }
      }
      victim.said.clear();
    }
    assertEquals(0, victim.loop.failures());
    assertTrue(victim.refusals.of(Refusal.SOURCE) > 0);
    assertTrue(victim.refusals.of(Refusal.PEER_LIMIT) > 0);
    assertTrue(victim.refusals.of(Refusal.UNKNOWN_CONNECTION) > 0);
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
    return kind == 0
        ? AhAttr.ofLid(1, 3, 0, GlobalRoute.to(Gid.linkLocal(0x103), 0))
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

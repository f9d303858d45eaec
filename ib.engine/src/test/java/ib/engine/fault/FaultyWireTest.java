package ib.engine.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.FaultRule;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.core.wire.DropReason;
import ib.engine.SoftHca;
import ib.engine.qp.HcaConfig;
import ib.engine.time.VirtualClock;
import ib.engine.wire.Packet;
import ib.engine.wire.PacketOwner;
import ib.engine.wire.RunContext;
import ib.engine.wire.Wire;
import ib.engine.wire.WirePort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 3, section 2: FaultyWire")
class FaultyWireTest {
  private final VirtualClock clock = new VirtualClock();
  private final List<Packet> sent = new ArrayList<>();
  private final List<Integer> order = new ArrayList<>();
  private final Owner owner = new Owner();
  private final Faults faults = new Faults("soft0", 1, 7);
  private final FaultyWire wire =
      new FaultyWire(
          new Wire() {
            @Override
            public void transmit(Packet packet, RunContext run) {
              sent.add(packet);
              order.add(packet.psn);
            }

            @Override
            public boolean segments() {
              return false;
            }
          },
          faults,
          1,
          clock);
  private final SoftHca hca =
      new SoftHca(HcaConfig.of(1, 2), List.of(wire), (t, p) -> {}, clock, new SplittableRandom(1));
  private final RunContext run = hca.newRunContext();

  /** Counts what is under way. */
  private static final class Owner extends PacketOwner {
    int out;
    int faults;

    Packet packet(int psn, byte... bytes) {
      out++;
      Packet p = new Packet(this);
      p.occupy();
      p.psn = psn;
      p.dlid = 3;
      if (bytes.length > 0) {
        p.payload.add(MemorySegment.ofArray(bytes), 0, bytes.length);
      }
      return p;
    }

    @Override
    protected void released(Packet packet, RunContext run) {
      assertTrue(packet.busy(), "released once");
      packet.free();
      out--;
      faults += packet.isFaulty() ? 1 : 0;
    }

    @Override
    protected Packet replicate(Packet original) {
      throw new AssertionError("copies are the wire's own");
    }
  }

  FaultyWireTest() {
    wire.attach(hca);
  }

  private void send(int first, int last) {
    for (int psn = first; psn <= last; psn++) {
      wire.transmit(owner.packet(psn, (byte) 1, (byte) 2, (byte) 3), run);
    }
  }

  private void finish() {
    sent.forEach(p -> p.release(run));
    sent.clear();
  }

  /** Whatever was done, nothing is left: every packet released exactly once. */
  @AfterEach
  void nothingLeft() {
    wire.close();
    finish();
    assertEquals(0, owner.out);
    assertEquals(0, wire.copies());
    assertEquals(0, wire.held());
    hca.shutdown();
  }

  @Test
  @DisplayName("D5: segments while there is a rule, and only then")
  void segments() {
    assertFalse(wire.segments());
    int id = faults.add(FaultRule.parse("loss rate=0.5"));
    assertTrue(wire.segments());
    assertTrue(faults.remove(id));
    assertFalse(faults.remove(id));
    assertFalse(wire.segments());
  }

  @Test
  @DisplayName("loss by rule: opcode, QP, sequence numbers, skip and count")
  void lossByRule() {
    faults.add(FaultRule.parse("loss psn=3-6 skip=1 count=2"));
    faults.add(FaultRule.parse("loss opcode=0x11"));
    faults.add(FaultRule.parse("loss qp=5"));
    send(1, 8);
    assertEquals(List.of(1, 2, 3, 6, 7, 8), order);
    assertEquals(4, faults.list().getFirst().fitting());
    assertEquals(2, faults.list().getFirst().hit());
    Packet ack = owner.packet(9);
    ack.opcode = 0x11;
    wire.transmit(ack, run);
    Packet mine = owner.packet(10);
    mine.sourceQpn = 5;
    wire.transmit(mine, run);
    assertEquals(6, order.size());
  }

  @Test
  @DisplayName("loss by rate is near its rate, and the same seed loses the same packets")
  void lossByRate() {
    faults.add(FaultRule.of(FaultRule.Kind.LOSS).withRate(0.25));
    faults.seed(99);
    send(0, 9999);
    List<Integer> first = List.copyOf(order);
    assertTrue(first.size() > 7300 && first.size() < 7700, "passed " + first.size());
    order.clear();
    faults.seed(99);
    send(0, 9999);
    assertEquals(first, order);
    order.clear();
    send(0, 9999);
    assertNotEquals(first, order);
  }

  @Test
  @DisplayName("partition by peer: one direction, the other peers are reached")
  void partition() {
    faults.add(FaultRule.parse("partition peer=3"));
    send(1, 3);
    Packet other = owner.packet(4);
    other.dlid = 4;
    wire.transmit(other, run);
    assertEquals(List.of(4), order);
  }

  @Test
  @DisplayName("a duplicate follows with its own bytes, at once or after the delay")
  void duplicate() {
    int id = faults.add(FaultRule.parse("duplicate count=1"));
    send(1, 2);
    assertEquals(List.of(1, 1, 2), order);
    assertEquals(3, sent.get(1).payload.length());
    faults.remove(id);
    faults.add(FaultRule.parse("duplicate count=1 delay=5us"));
    send(3, 4);
    assertEquals(List.of(1, 1, 2, 3, 4), order);
    hca.step();
    assertEquals(5_000, hca.earliestTimerNs());
    clock.advance(5_000);
    hca.step();
    assertEquals(List.of(1, 1, 2, 3, 4, 3), order);
  }

  @Test
  @DisplayName("a reordered packet is overtaken by at most so many others")
  void reorder() {
    faults.add(FaultRule.parse("reorder psn=1-1 packets=1"));
    send(1, 3);
    assertEquals(List.of(2, 1, 3), order);
    assertEquals(3, owner.out + 1, "the original of the held one was given back at once");
  }

  @Test
  @DisplayName("a reordered packet that no other overtakes arrives when due, also without the rule")
  void reorderLast() {
    faults.add(FaultRule.parse("reorder delay=30us"));
    send(1, 1);
    assertEquals(List.of(), order);
    assertEquals(1, wire.held());
    faults.clear();
    hca.step();
    clock.advance(29_999);
    hca.step();
    assertEquals(List.of(), order);
    clock.advance(1);
    hca.step();
    assertEquals(List.of(1), order);
    assertEquals(Long.MAX_VALUE, hca.earliestTimerNs());
  }

  @Test
  @DisplayName(
      "delay: each comes when it is due, an earlier one is not late because of a later one")
  void delay() {
    faults.add(FaultRule.parse("delay psn=1-1 delay=90us"));
    faults.add(FaultRule.parse("delay psn=2-2 delay=20us"));
    faults.add(FaultRule.parse("delay psn=3-3 delay=50us"));
    send(1, 4);
    assertEquals(List.of(4), order);
    for (int i = 0; i < 10; i++) {
      hca.step();
      clock.advance(10_000);
    }
    hca.step();
    assertEquals(List.of(4, 2, 3, 1), order);
    assertEquals(Long.MAX_VALUE, hca.earliestTimerNs());
  }

  @Test
  @DisplayName(
      "F2: corruption flips one bit of a copy, marks it, and leaves the sender's memory alone")
  void corrupt() {
    faults.add(FaultRule.parse("corrupt"));
    byte[] bytes = new byte[64];
    for (int i = 0; i < 100; i++) {
      wire.transmit(owner.packet(i, bytes), run);
      assertTrue(sent.getLast().damaged);
    }
    assertEquals(0, owner.out);
    for (byte b : bytes) {
      assertEquals(0, b);
    }
    assertTrue(sent.stream().mapToInt(FaultyWireTest::bits).sum() > 50, "most hit the payload");
    assertTrue(sent.stream().mapToInt(FaultyWireTest::bits).max().orElse(0) == 1);
    faults.clear();
    faults.add(FaultRule.parse("silent"));
    wire.transmit(owner.packet(1, bytes), run);
    assertFalse(sent.getLast().damaged);
    assertEquals(1, bits(sent.getLast()));
  }

  private static int bits(Packet p) {
    int n = 0;
    for (int i = 0; i < p.payload.length(); i++) {
      byte b = p.payload.segment(0).get(ValueLayout.JAVA_BYTE, p.payload.offset(0) + i);
      n += Integer.bitCount(b & 0xff);
    }
    return n;
  }

  @Test
  @DisplayName("F2: the receiver drops a damaged packet and counts drop_icrc")
  void dropIcrc() {
    hca.port(1).state(PortState.ACTIVE, PhysState.LINK_UP);
    faults.add(FaultRule.parse("corrupt dir=in"));
    wire.receiver(hca.port(1)).receive(owner.packet(1, (byte) 9), run);
    assertEquals(1L, hca.counters(1).get("drop_icrc"));
    assertEquals(0, owner.out);
  }

  @Test
  @DisplayName("rules of direction in work on what is received, and only on that")
  void in() {
    faults.add(FaultRule.parse("loss dir=in count=1"));
    List<Integer> got = new ArrayList<>();
    WirePort port =
        wire.receiver(
            new WirePort() {
              @Override
              public void receive(Packet packet, RunContext context) {
                got.add(packet.psn);
                packet.release(context);
              }

              @Override
              public void dropped(DropReason reason) {
                throw new AssertionError(reason);
              }

              @Override
              public int number() {
                return 1;
              }

              @Override
              public int lid() {
                return 3;
              }

              @Override
              public boolean active() {
                return true;
              }
            });
    send(1, 1);
    port.receive(owner.packet(2), run);
    port.receive(owner.packet(3), run);
    assertEquals(List.of(1), order);
    assertEquals(List.of(3), got);
  }

  @Test
  @DisplayName("D6: a payload that cannot be read is its sender's fault, nothing is sent")
  void sourceGone() {
    faults.add(FaultRule.parse("delay"));
    Packet p = owner.packet(1);
    java.lang.foreign.Arena arena = java.lang.foreign.Arena.ofShared();
    p.payload.add(arena.allocate(16), 0, 16);
    arena.close();
    wire.transmit(p, run);
    assertEquals(1, owner.faults);
    assertEquals(0, wire.copies());
  }

  @Test
  @DisplayName("closing forgets what is held; a full shelf lets packets pass undisturbed")
  void closing() {
    faults.add(FaultRule.parse("delay delay=1s"));
    send(1, 1030);
    assertEquals(1024, wire.held());
    assertEquals(List.of(1025, 1026, 1027, 1028, 1029, 1030), order);
    wire.close();
    assertEquals(0, wire.held());
    clock.advance(2_000_000_000);
    hca.step();
    assertEquals(6, order.size());
  }

  @Test
  @DisplayName("a port that is not there, and the 257th rule, are refused")
  void refusals() {
    assertThrows(IbInvalidException.class, () -> faults.add(FaultRule.parse("loss port=2")));
    for (int i = 0; i < 256; i++) {
      faults.add(FaultRule.parse("loss rate=0"));
    }
    assertThrows(IbNoMemoryException.class, () -> faults.add(FaultRule.parse("loss")));
    assertEquals(256, faults.clear());
    assertEquals(257, faults.add(FaultRule.parse("loss")), "numbers are not used again");
  }
}

package ib.driver.soft.sm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.MadMethod;
import ib.core.mad.smp.SmInfo;
import ib.core.mad.smp.Smp;
import ib.core.mad.smp.SmpAttribute;
import ib.driver.soft.fabric.Datagram;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.MadConsumer;
import ib.driver.soft.fabric.Subnet;
import ib.driver.soft.topology.NodePort;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("4.5.1 IBA 14.4: SMInfo, from subnet manager to subnet manager")
final class NegotiationTest {
  private static final int SEAT_LID = 0xBFFF;
  private static final int BAD_FIELD = 7 << 2;
  private static final int HANDOVER = 1;
  private static final int ACKNOWLEDGE = 2;
  private static final int DISABLE = 3;
  private static final int STAND_BY = 4;
  private static final int DISCOVER = 5;
  private static final int NOT_ACTIVE = 0;
  private static final int STANDBY = 2;
  private static final int MASTER = 3;

  private final Fabric fabric = BuiltinSm.newFabric();
  private final List<FabricPort> ports = new ArrayList<>();
  private Subnet subnet;

  /** Another subnet manager, that says what the test wants. */
  private final class Other implements MadConsumer {
    final NodePort place;
    final List<String> told = new ArrayList<>();
    int priority;
    int state = STANDBY;
    int status;
    int polls;
    boolean slow; // it answers polls when the test says so
    boolean mute; // and what it is told
    final List<Datagram> unsaid = new ArrayList<>();
    long key;
    private MemorySegment answer = MemorySegment.ofArray(new byte[256]);

    Other(int port, int priority) {
      this.place = ports.get(port).place();
      this.priority = priority;
    }

    Other come() {
      synchronized (fabric) {
        subnet.add(place, this);
        subnet.foreignManager(place, true);
        subnet.carry();
      }
      return this;
    }

    void go() {
      synchronized (fabric) {
        subnet.remove(place, this);
        subnet.foreignManager(place, false);
        subnet.carry();
      }
    }

    @Override
    public boolean take(NodePort at, Datagram d) {
      if (Smp.ATTRIBUTE_ID.in(d.mad) != SmpAttribute.SM_INFO.id()) {
        return false;
      }
      if (d.response()) {
        answer = d.mad;
        return true;
      }
      MemorySegment reply = MemorySegment.ofArray(new byte[256]).copyFrom(d.mad);
      if (Smp.METHOD.in(d.mad) == MadMethod.SET) {
        int modifier = Smp.ATTRIBUTE_MODIFIER.in(d.mad);
        told.add(modifier + " by state " + SmInfo.STATE.in(Smp.data(d.mad)));
        Smp.STATUS.set(reply, status);
        state = modifier == HANDOVER && status == 0 ? MASTER : state;
      }
      Smp.METHOD.set(reply, MadMethod.GET | MadMethod.RESPONSE);
      own(Smp.data(reply), state);
      boolean poll = Smp.METHOD.in(d.mad) == MadMethod.GET;
      polls += poll ? 1 : 0;
      if (poll ? slow : mute) {
        unsaid.add(d.reply(reply));
      } else {
        subnet.send(at, d.reply(reply));
      }
      return true;
    }

    /** Says the first of what it has not said. */
    void speaks() {
      synchronized (fabric) {
        subnet.send(place, unsaid.removeFirst());
        subnet.carry();
      }
    }

    private void own(MemorySegment data, int as) {
      data.fill((byte) 0);
      SmInfo.GUID.set(data, place.guid());
      SmInfo.SM_KEY.set(data, key);
      SmInfo.PRIORITY.set(data, priority);
      SmInfo.STATE.set(data, as);
    }

    /** SubnSet(SMInfo); the status of the answer. */
    int tell(int modifier, int as) {
      ask(MadMethod.SET, modifier, as);
      return Smp.STATUS.in(answer);
    }

    MemorySegment info() {
      ask(MadMethod.GET, 0, state);
      return Smp.data(answer);
    }

    private void ask(int method, int modifier, int as) {
      synchronized (fabric) {
        MemorySegment mad = Datagram.smp(method, SmpAttribute.SM_INFO, 0xA1);
        Smp.ATTRIBUTE_MODIFIER.set(mad, modifier);
        own(Smp.data(mad), as);
        Datagram d = new Datagram(mad);
        d.slid = place.lid();
        d.dlid = SEAT_LID;
        subnet.send(place, d);
        subnet.carry();
      }
    }

    int seen() {
      return SmInfo.STATE.in(info());
    }
  }

  @BeforeEach
  void plug() {
    for (int i = 0; i < 3; i++) {
      FabricPort p = fabric.plug("node" + i, 0x100L * (i + 1), 1, "sw").getFirst();
      ports.add(p);
      p.plugCable();
    }
    subnet = fabric.subnetOf("node0");
  }

  @AfterEach
  void close() {
    ports.forEach(FabricPort::close);
    assertEquals(0, fabric.size());
  }

  private List<Integer> lids() {
    return ports.stream().map(FabricPort::lid).toList();
  }

  @Test
  @DisplayName("14.2.5.13 alone it is the master; its activity count grows with what it does")
  void alone() {
    Other asks = new Other(0, 0);
    synchronized (fabric) {
      subnet.add(asks.place, asks);
    }
    MemorySegment info = asks.info();
    assertEquals(MASTER, SmInfo.STATE.in(info));
    assertEquals(0, SmInfo.PRIORITY.in(info));
    assertEquals(subnet.nodes().getFirst().guid(), SmInfo.GUID.of(info));
    int before = SmInfo.ACT_COUNT.in(info);
    assertTrue(SmInfo.ACT_COUNT.in(asks.info()) > before);
  }

  @Test
  @DisplayName("14.4.1 the higher priority is the master; among equals the lower GUID")
  void rank() {
    fabric.smPriority(5);
    Other lower = new Other(0, 4).come();
    assertEquals(MASTER, lower.seen());
    assertEquals(List.of(), lower.told);
    lower.go();
    Other equal = new Other(0, 5).come(); // GUID 0x101, far below the one of the switch
    assertEquals(List.of("1 by state 3"), equal.told);
    assertEquals(STANDBY, equal.seen());
    equal.go();
    Other higher = new Other(1, 6).come();
    assertEquals(List.of("1 by state 3"), higher.told);
    assertEquals(STANDBY, higher.seen());
    higher.go();
  }

  @Test
  @DisplayName("14.4.1 a handover that is refused has not happened")
  void refused() {
    fabric.smPriority(5);
    Other other = new Other(0, 9);
    other.status = BAD_FIELD;
    other.come();
    assertEquals(List.of("1 by state 3"), other.told);
    assertEquals(MASTER, other.seen());
    other.go();
  }

  @Test
  @DisplayName("priority 0 gives way without a command: NOT-ACTIVE while another manager is there")
  void makesRoom() {
    List<Integer> before = lids();
    Other other = new Other(0, 0).come();
    assertEquals(NOT_ACTIVE, other.seen());
    assertEquals(List.of(), other.told);
    assertEquals(BAD_FIELD, other.tell(HANDOVER, MASTER));
    other.go();
    synchronized (fabric) {
      subnet.add(other.place, other);
    }
    assertEquals(MASTER, other.seen());
    assertEquals(before, lids());
  }

  @Test
  @DisplayName("14.4.1 HANDOVER, ACKNOWLEDGE, DISABLE, STANDBY, DISCOVER, each where it belongs")
  void commands() {
    fabric.smPriority(5);
    Other other = new Other(0, 9).come();
    List<Integer> before = lids();
    assertEquals(STANDBY, other.seen());
    other.told.clear();
    assertEquals(BAD_FIELD, other.tell(DISABLE, STANDBY), "only a master may say so");
    assertEquals(BAD_FIELD, other.tell(ACKNOWLEDGE, MASTER), "only who stands by may say so");
    assertEquals(BAD_FIELD, other.tell(9, MASTER), "no such thing");
    assertEquals(BAD_FIELD, other.tell(STAND_BY, MASTER), "it does already");
    assertEquals(STANDBY, other.seen());
    assertEquals(0, other.tell(ACKNOWLEDGE, STANDBY));
    assertEquals(STANDBY, other.seen());
    assertEquals(0, other.tell(DISABLE, MASTER));
    assertEquals(NOT_ACTIVE, other.seen());
    assertEquals(BAD_FIELD, other.tell(HANDOVER, MASTER));
    assertEquals(0, other.tell(STAND_BY, MASTER));
    assertEquals(STANDBY, other.seen());
    assertEquals(0, other.tell(DISCOVER, MASTER));
    assertEquals(STANDBY, other.seen(), "it has found the master");
    other.priority = 3;
    other.state = STANDBY;
    assertEquals(0, other.tell(HANDOVER, MASTER));
    assertEquals(List.of("2 by state 2"), other.told, "acknowledged");
    assertEquals(MASTER, other.seen());
    assertEquals(before, lids());
    assertEquals(BAD_FIELD, other.tell(ACKNOWLEDGE, STANDBY), "it has given nothing away");
    assertEquals(MASTER, other.seen());
    other.go();
  }

  @Test
  @DisplayName("14.4.1 DISABLE holds when the master has gone; it has to be woken by STANDBY")
  void disabled() {
    fabric.smPriority(5);
    Other other = new Other(0, 9).come();
    assertEquals(0, other.tell(DISABLE, MASTER));
    other.go();
    synchronized (fabric) {
      subnet.add(other.place, other);
    }
    assertEquals(NOT_ACTIVE, other.seen());
    assertEquals(0, other.tell(STAND_BY, MASTER));
    assertEquals(MASTER, other.seen(), "nobody is there to wait for");
  }

  @Test
  @DisplayName("4.5.1 a subnet manager that is found to be the master keeps the subnet when raised")
  void raised() {
    Other other = new Other(0, 3);
    other.state = MASTER;
    other.come();
    assertEquals(NOT_ACTIVE, other.seen());
    fabric.smPriority(7);
    assertEquals(STANDBY, other.seen(), "it waits for the handover that it has asked for");
    assertEquals(0, other.tell(HANDOVER, MASTER));
    other.state = STANDBY;
    assertEquals(MASTER, other.seen());
    fabric.smPriority(0);
    assertEquals("1 by state 3", other.told.getLast(), "gives it back");
    assertEquals(NOT_ACTIVE, other.seen());
    other.go();
  }

  private void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    boolean is = false;
    while (!is) {
      assertTrue(System.nanoTime() < end, "not within 5 minutes: " + what);
      LockSupport.parkNanos(1_000_000);
      synchronized (fabric) {
        is = condition.getAsBoolean();
      }
    }
  }

  @Test
  @DisplayName("14.4.1 an answer to a poll counts although the next one has been sent meanwhile")
  void slow() {
    fabric.smPriority(5);
    Other other = new Other(0, 9);
    other.slow = true;
    other.come();
    await("the next poll", () -> other.polls == 2);
    other.slow = false;
    other.speaks();
    assertEquals(List.of("1 by state 3"), other.told);
    assertEquals(STANDBY, other.seen());
    other.go();
  }

  @Test
  @DisplayName("14.4.1 a handover waits for its answer; it is repeated as what it is, not renewed")
  void late() {
    fabric.smPriority(5);
    Other other = new Other(0, 9);
    other.mute = true;
    other.come();
    assertEquals(List.of("1 by state 3"), other.told);
    await("the same once more", () -> other.told.size() == 2);
    assertTrue(other.polls > Negotiation.HANDOVER_POLLS, other.polls + " polls");
    long first = Smp.TRANSACTION_ID.of(other.unsaid.getFirst().mad);
    assertEquals(first, Smp.TRANSACTION_ID.of(other.unsaid.getLast().mad));
    assertEquals(MASTER, other.seen(), "not answered yet");
    other.speaks();
    assertEquals(STANDBY, other.seen());
    other.speaks();
    assertEquals(STANDBY, other.seen());
    assertEquals(2, other.told.size());
    other.go();
  }

  @Test
  @DisplayName("14.2.5.13 SM_Key: 0 before who shows another one, who is not believed")
  void key() {
    fabric.smPriority(5);
    fabric.smKey(0xfeedL);
    Other other = new Other(0, 4);
    other.key = 0xbadL;
    other.come();
    other.priority = 9;
    assertEquals(0, SmInfo.SM_KEY.of(other.info()));
    fabric.smPriority(6); // asks anew
    assertEquals(List.of(), other.told, "nothing is handed over to who has another key");
    assertEquals(BAD_FIELD, other.tell(DISCOVER, MASTER));
    assertEquals(MASTER, other.seen());
    other.key = 0xfeedL;
    fabric.smPriority(5);
    assertEquals(List.of("1 by state 3"), other.told);
    assertEquals(STANDBY, other.seen());
    assertEquals(0xfeedL, SmInfo.SM_KEY.of(other.info()), "it knows the key");
    Other third = new Other(1, 1).come();
    assertEquals(0xfeedL, SmInfo.SM_KEY.of(third.info()), "OpenSM asks without a key");
    third.key = 0xbadL;
    assertEquals(0, SmInfo.SM_KEY.of(third.info()));
    other.key = 0xbadL;
    assertEquals(BAD_FIELD, other.tell(HANDOVER, MASTER));
    assertEquals(STANDBY, other.seen());
    other.key = 0; // as who hides it
    other.priority = 3;
    other.state = STANDBY;
    assertEquals(0, other.tell(HANDOVER, MASTER));
    assertEquals(MASTER, other.seen());
    third.go();
    other.go();
  }
}

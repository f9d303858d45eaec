package ib.driver.soft.sm;

import static ib.driver.soft.sm.ScriptedSm.HANDOVER;
import static ib.driver.soft.sm.ScriptedSm.MASTER;
import static ib.driver.soft.sm.ScriptedSm.STANDBY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.mad.smp.SmInfo;
import ib.core.mad.smp.Smp;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.fabric.Subnet;
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
  private static final int BAD_FIELD = 7 << 2;
  private static final int ACKNOWLEDGE = 2;
  private static final int DISABLE = 3;
  private static final int STAND_BY = 4;
  private static final int DISCOVER = 5;
  private static final int NOT_ACTIVE = 0;

  private final Fabric fabric = BuiltinSm.newFabric();
  private final List<FabricPort> ports = new ArrayList<>();
  private Subnet subnet;

  @BeforeEach
  void plug() {
    for (int i = 0; i < 3; i++) {
      FabricPort p = fabric.plug("node" + i, 0x100L * (i + 1), 1, "sw").getFirst();
      ports.add(p);
      p.plugCable();
    }
    subnet = fabric.subnetOf("node0");
  }

  private ScriptedSm other(int port, int priority) {
    return new ScriptedSm(fabric, subnet, ports.get(port).place(), priority);
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
    ScriptedSm asks = other(0, 0);
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
    ScriptedSm lower = other(0, 4).come();
    assertEquals(MASTER, lower.seen());
    assertEquals(List.of(), lower.told);
    lower.go();
    ScriptedSm equal = other(0, 5).come(); // GUID 0x101, far below the one of the switch
    assertEquals(List.of("1 by state 3"), equal.told);
    assertEquals(STANDBY, equal.seen());
    equal.go();
    ScriptedSm higher = other(1, 6).come();
    assertEquals(List.of("1 by state 3"), higher.told);
    assertEquals(STANDBY, higher.seen());
    higher.go();
  }

  @Test
  @DisplayName("14.4.1 a handover that is refused has not happened")
  void refused() {
    fabric.smPriority(5);
    ScriptedSm other = other(0, 9);
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
    ScriptedSm other = other(0, 0).come();
    assertEquals(NOT_ACTIVE, other.seen());
    assertEquals(0, other.polls, "it asks for nothing then");
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
    ScriptedSm other = other(0, 9).come();
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
    ScriptedSm other = other(0, 9).come();
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
    ScriptedSm other = other(0, 3);
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
    ScriptedSm other = other(0, 9);
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
    ScriptedSm other = other(0, 9);
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
  @DisplayName("14.4.1 the late answer of a manager that has gone hands nothing over")
  void gone() {
    fabric.smPriority(5);
    ScriptedSm lower = other(1, 3).come();
    ScriptedSm other = other(0, 9);
    other.mute = true;
    other.come();
    assertEquals(List.of("1 by state 3"), other.told);
    other.go();
    other.speaks();
    assertEquals(MASTER, lower.seen());
    lower.go();
  }

  @Test
  @DisplayName("14.2.5.13 SM_Key: 0 before who shows another one, who is not believed")
  void key() {
    fabric.smPriority(5);
    fabric.smKey(0xfeedL);
    ScriptedSm other = other(0, 4);
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
    ScriptedSm third = other(1, 1).come();
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

  private void judge(int times, SmState before, SmState after) {
    Negotiation negotiation = ((BuiltinSm) subnet.manager()).negotiation;
    for (int i = 1; i <= times; i++) {
      assertEquals(before, negotiation.state(), "before judgement " + i);
      negotiation.judgePolls();
      subnet.carry();
    }
    assertEquals(after, negotiation.state());
  }

  @Test
  @DisplayName(
      "14.4.1 a master is lost after so many silent polls in a row, counted anew after each answer"
          + " and in each standby")
  void lost() {
    fabric.smPriority(5);
    ScriptedSm other = other(0, 9).come();
    synchronized (fabric) { // the polls' own time does not count
      other.slow = true;
      judge(1, SmState.STANDBY, SmState.STANDBY); // it has answered until now
      judge(Negotiation.MAX_SILENT_POLLS / 2, SmState.STANDBY, SmState.STANDBY);
      other.speaks();
      judge(1, SmState.STANDBY, SmState.STANDBY);
      judge(Negotiation.MAX_SILENT_POLLS + 1, SmState.STANDBY, SmState.DISCOVERING);
      other.speaks(); // it is there, and is asked again at once
      judge(Negotiation.MAX_SILENT_POLLS + 1, SmState.STANDBY, SmState.DISCOVERING);
      judge(1, SmState.DISCOVERING, SmState.MASTER);
    }
    other.go();
  }
}

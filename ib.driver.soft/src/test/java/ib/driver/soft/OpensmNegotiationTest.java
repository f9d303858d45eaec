package ib.driver.soft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.verbs.EventType;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
    "4.5.1 IBA 14.4: the built-in subnet manager and an unmodified OpenSM settle it by SMInfo")
final class OpensmNegotiationTest extends OpensmWorld {
  private static final int ADAPTERS = 3;

  OpensmNegotiationTest() {
    super(ADAPTERS);
  }

  private List<Integer> lids() {
    return devices.stream().map(d -> d.queryPort(1).lid()).toList();
  }

  private String sminfo(String options) throws Exception {
    return tool("sminfo " + options);
  }

  private void administers() throws Exception {
    String path = tool("saquery -p --src-to-dst 1:2");
    assertTrue(path.contains("dlid....................2"), path);
  }

  @Test
  @DisplayName("priority 0: it makes room at once, says NOTACT, and is back after a kill -9")
  void makesRoom() throws Exception {
    String before = sminfo("");
    assertTrue(before.contains("sm lid " + BUILTIN_LID + " "), before);
    assertTrue(before.contains("priority 0 state 3 SMINFO_MASTER"), before);
    List<Integer> lids = lids();
    try (Opensm sm = Opensm.start(port, "soft0", dir)) {
      sm.awaitUp();
      awaitManagedFrom(1);
      String quiet = sminfo(String.valueOf(BUILTIN_LID));
      assertTrue(quiet.contains("priority 0 state 0 SMINFO_NOTACT"), quiet);
      assertTrue(sminfo("").contains("state 3 SMINFO_MASTER"), "OpenSM");
      sm.kill();
      awaitManagedFrom(BUILTIN_LID);
    }
    assertTrue(sminfo("").contains("priority 0 state 3 SMINFO_MASTER"));
    assertEquals(lids, lids());
    noLinkWentDown();
  }

  @Test
  @DisplayName("priority 5: an OpenSM with 3 stands by; who manages and the LIDs stay")
  void stays() throws Exception {
    fabric.smPriority(5);
    List<Integer> lids = lids();
    try (Opensm sm = Opensm.start(port, "soft0", dir, "-p", "3")) {
      OpensmTest.await("OpenSM stands by", () -> sm.logs("Entering STANDBY state"));
      String master = sminfo("");
      assertTrue(master.contains("sm lid " + BUILTIN_LID + " "), master);
      assertTrue(master.contains("priority 5 state 3 SMINFO_MASTER"), master);
      String other = sminfo("1");
      assertTrue(other.contains("priority 3 state 2 SMINFO_STANDBY"), other);
      administers();
      sm.kill();
      OpensmTest.await("it is gone", () -> door.clients().isEmpty());
    }
    assertFalse(events.contains("soft1 " + EventType.SM_CHANGE), events.toString());
    assertTrue(managedFrom(BUILTIN_LID));
    assertEquals(lids, lids());
  }

  @Test
  @DisplayName("handover to an OpenSM with 10; raised to 12 it is handed back; no LID changes")
  void handover() throws Exception {
    fabric.smPriority(5);
    List<Integer> lids = lids();
    try (Opensm sm = Opensm.start(port, "soft0", dir, "-p", "10")) {
      OpensmTest.await("OpenSM stood by at first", () -> sm.logs("Entering STANDBY state"));
      awaitManagedFrom(1);
      sm.awaitUp();
      String standby = sminfo(String.valueOf(BUILTIN_LID));
      assertTrue(standby.contains("priority 5 state 2 SMINFO_STANDBY"), standby);
      events.clear();
      fabric.smPriority(12);
      awaitManagedFrom(BUILTIN_LID);
      assertTrue(events.contains("soft1 " + EventType.CLIENT_REREGISTER), events.toString());
      String other = sminfo("1");
      assertTrue(other.contains("priority 10 state 2 SMINFO_STANDBY"), other);
      administers();
      assertTrue(sm.alive());
    }
    assertEquals(lids, lids());
    noLinkWentDown();
  }

  @Test
  @DisplayName("the master falls silent: it takes over; the master is heard again: it hands over")
  void silence() throws Exception {
    fabric.smPriority(5);
    List<Integer> lids = lids();
    try (Opensm sm = Opensm.start(port, "soft0", dir, "-p", "10", "-s", "1")) {
      awaitManagedFrom(1);
      sm.awaitUp();
      sm.signal("STOP");
      awaitManagedFrom(BUILTIN_LID);
      assertEquals(List.of("soft0"), door.clients(), "it has not gone, it is silent");
      sm.signal("CONT");
      awaitManagedFrom(1);
      assertTrue(sm.alive());
    }
    awaitManagedFrom(BUILTIN_LID);
    assertEquals(lids, lids());
    noLinkWentDown();
  }
}

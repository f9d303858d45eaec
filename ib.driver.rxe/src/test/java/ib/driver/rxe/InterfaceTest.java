package ib.driver.rxe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ib.core.verbs.QpType;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

@DisplayName("issue 4, section 3, F28: interface and addresses are removed and added under traffic")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class InterfaceTest {
  private static final int TIMEOUT = 17; // 0.54 s
  private static final int RETRIES = 2;
  private static final int WAITS = 19; // 2.1 s, eight times
  private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(10);
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private Namespaces two;
  private Party left;
  private Party right;

  @BeforeAll
  void start() throws Exception {
    two = new Namespaces(1500);
    left = station(two.left);
    right = station(two.right);
  }

  private static Party station(String namespace) throws IOException {
    Party party = new RemoteStation(Namespaces.in(namespace));
    party.tell("plug", "interface=" + Namespaces.DEVICE);
    party.tell("listen");
    return party;
  }

  @AfterAll
  void end() throws Exception {
    if (left != null) {
      left.close();
    }
    if (right != null) {
      right.close();
    }
    if (two != null) {
      two.remove();
    }
  }

  /** Requests that wait, and requests that do not, both ways. */
  private final class Traffic {
    final PartyEnd[] patient;
    final PartyEnd[] hasty = pair("hasty", TIMEOUT, RETRIES);
    final PartyFlow there;
    final PartyFlow back;
    final PartyFlow ends = PartyFlow.start(hasty[0], hasty[1]);
    final PartyFlow endsToo = PartyFlow.start(hasty[1], hasty[0]);

    Traffic(int timeout) {
      patient = pair("patient", timeout, 7);
      there = PartyFlow.start(patient[0], patient[1]);
      back = PartyFlow.start(patient[1], patient[0]);
    }

    private PartyEnd[] pair(String name, int timeout, int retries) {
      PartyEnd a = new PartyEnd(left, name, QpType.RC);
      PartyEnd b = new PartyEnd(right, name, QpType.RC);
      PartyEnd.connect(a, b, timeout, retries, 7);
      return new PartyEnd[] {a, b};
    }

    void flows() {
      there.reaches(10);
      back.reaches(10);
    }

    void hastyEnd() {
      ends.fails();
      endsToo.fails();
    }

    void close() {
      for (PartyEnd[] pair : new PartyEnd[][] {patient, hasty}) {
        pair[0].close();
        pair[1].close();
      }
    }
  }

  /** Waits until somebody has heard exactly these events since it was asked last. */
  private static void hears(Party who, String events) {
    long start = System.nanoTime();
    String heard = who.tell("events");
    while (heard.length() < events.length() && System.nanoTime() - start < PATIENCE_NS) {
      LockSupport.parkNanos(PAUSE_NS);
      heard = who.tell("events");
    }
    assertEquals(events, heard);
  }

  private static void forget(Party who) {
    who.tell("forget");
  }

  @Test
  @DisplayName("down and up: PORT_ERR, PORT_ACTIVE at both ends; requests wait, or end in time")
  void downAndUp() throws Exception {
    forget(left);
    forget(right);
    Traffic traffic = new Traffic(WAITS);
    traffic.flows();
    Namespaces.ip("-n", two.left, "link", "set", Namespaces.DEVICE, "down");
    hears(left, "PORT_ERR");
    hears(right, "PORT_ERR"); // it lost its carrier
    traffic.hastyEnd();
    assertEquals("DOWN", left.tell("port"));
    Namespaces.ip("-n", two.left, "link", "set", Namespaces.DEVICE, "up");
    hears(left, "PORT_ERR PORT_ACTIVE");
    hears(right, "PORT_ERR PORT_ACTIVE");
    traffic.flows();
    traffic.there.ends();
    traffic.back.ends();
    traffic.close();
  }

  @Test
  @DisplayName("address taken away and given back: GID_CHANGE before PORT_ERR, before PORT_ACTIVE")
  void addressAway() throws Exception {
    forget(left);
    forget(right);
    Traffic traffic = new Traffic(WAITS);
    traffic.flows();
    Namespaces.ip("-n", two.left, "addr", "del", "10.77.0.1/24", "dev", Namespaces.DEVICE);
    hears(left, "GID_CHANGE PORT_ERR");
    traffic.hastyEnd();
    assertEquals("::", left.tell("gid", 1));
    Namespaces.ip("-n", two.left, "addr", "add", "10.77.0.1/24", "dev", Namespaces.DEVICE);
    hears(left, "GID_CHANGE PORT_ERR GID_CHANGE PORT_ACTIVE");
    assertEquals("::ffff:10.77.0.1", left.tell("gid", 1));
    assertEquals("", right.tell("events"), "nothing has happened there");
    traffic.flows();
    traffic.there.ends();
    traffic.back.ends();
    traffic.close();
  }

  @Test
  @DisplayName("address changed: connections of the old address end in time, the new address works")
  void addressChanged() throws Exception {
    forget(left);
    Traffic traffic = new Traffic(TIMEOUT);
    traffic.flows();
    Namespaces.ip("-n", two.left, "addr", "add", "10.77.0.3/24", "dev", Namespaces.DEVICE);
    hears(left, "GID_CHANGE");
    assertEquals("::ffff:10.77.0.3", left.tell("gid", 2));
    Namespaces.ip("-n", two.left, "addr", "del", "10.77.0.1/24", "dev", Namespaces.DEVICE);
    hears(left, "GID_CHANGE GID_CHANGE");
    traffic.hastyEnd();
    assertEquals("ACTIVE", left.tell("port"));
    traffic.close();
    left.tell("gids", 2);
    Traffic now = new Traffic(WAITS);
    assertEquals("::ffff:10.77.0.3", now.patient[0].gid);
    now.flows();
    now.there.ends();
    now.back.ends();
    now.close();
    left.tell("gids", 1);
    Namespaces.ip("-n", two.left, "addr", "add", "10.77.0.1/24", "dev", Namespaces.DEVICE);
    hears(left, "GID_CHANGE GID_CHANGE GID_CHANGE");
    Namespaces.ip("-n", two.left, "addr", "del", "10.77.0.3/24", "dev", Namespaces.DEVICE);
    hears(left, "GID_CHANGE GID_CHANGE GID_CHANGE GID_CHANGE");
  }
}

package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.DeviceOps;
import ib.core.testing.FakeDevice;
import ib.core.verbs.EventType;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(600)
class CachesTest {
  private static final int ENTRIES = 8;

  /** What differs between cache and driver. */
  private static List<String> differences(FakeDevice device, DeviceCaches caches) {
    DeviceOps truth = device.ops();
    List<String> found = new ArrayList<>();
    for (int port = 1; port <= device.portCount(); port++) {
      if (!caches.port(port).equals(truth.queryPort(port))) {
        found.add("port " + port);
      }
      for (int i = 0; i < ENTRIES; i++) {
        if (!caches.gid(port, i).equals(truth.queryGid(port, i))) {
          found.add("port " + port + " GID " + i);
        }
        if (caches.pkey(port, i) != truth.queryPkey(port, i)) {
          found.add("port " + port + " P_Key " + i);
        }
      }
    }
    return found;
  }

  private static void change(Rig rig, int port, int salt) {
    rig.device
        .ports()
        .attr(port, rig.device.ops().queryPort(port).toBuilder().lid(0x100 + salt).build());
    rig.device.ports().gid(port, 1 + salt % 7, Gid.linkLocal(salt));
    rig.device.ports().pkey(port, 1 + salt % 7, 0x8000 | salt);
  }

  @ParameterizedTest
  @EnumSource(
      value = EventType.class,
      names = {
        "PORT_ERR",
        "PORT_ACTIVE",
        "LID_CHANGE",
        "PKEY_CHANGE",
        "SM_CHANGE",
        "CLIENT_REREGISTER",
        "GID_CHANGE",
        "DEVICE_SPEED_CHANGE",
        "EVENT_OVERFLOW",
        "RESET_END"
      })
  @DisplayName("B13: in a handler the cache equals a fresh query, whatever the event")
  void freshInHandler(EventType type) {
    try (Rig rig = new Rig()) {
      List<String> stale = new ArrayList<>();
      Recorder r =
          new Recorder(rig.client, e -> stale.addAll(differences(rig.device, rig.events.caches())));
      rig.open();
      rig.events.register(rig.client, r);
      change(rig, 1, 77);
      rig.dispatch(type);
      r.await(1);
      assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
      assertEquals(List.of(), stale);
    }
  }

  @Test
  @DisplayName(
      "B13: canary: without an event the cache does not change, so the comparison can fail")
  void canary() {
    try (Rig rig = new Rig()) {
      rig.open();
      change(rig, 1, 77);
      assertEquals(
          List.of("port 1", "port 1 GID 1", "port 1 P_Key 1"),
          differences(rig.device, rig.events.caches()));
    }
  }

  @Test
  @DisplayName("B12: a change at any step of connect, with its event, ends up in the cache")
  void changeAtEveryStep() {
    int steps;
    try (Rig rig = new Rig()) {
      rig.open();
      steps = queries(rig);
    }
    assertEquals(2 * (1 + 2 * ENTRIES), steps);
    for (int step = 1; step <= steps; step++) {
      try (Rig rig = new Rig()) {
        AtomicInteger count = new AtomicInteger();
        int at = step;
        Runnable hook =
            () -> {
              if (count.incrementAndGet() == at) {
                for (int port = 1; port <= 2; port++) {
                  // the driver's order: change, then tell
                  rig.device.ports().gid(port, 3, Gid.linkLocal(at));
                  rig.device.ports().pkey(port, 3, 0x8000 | at);
                  rig.device.dispatchEvent(EventType.PKEY_CHANGE, port);
                }
              }
            };
        List.of("queryPort", "queryGid", "queryPkey")
            .forEach(op -> rig.device.faults().at(op, hook));
        rig.open();
        assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
        rig.device.faults().clear();
        assertEquals(List.of(), differences(rig.device, rig.events.caches()), "step " + step);
        assertEquals(2, rig.events.stats().dispatched());
      }
    }
  }

  @Test
  @DisplayName("B12: a change before the connect is seen by the load, at the close by the drain")
  void changeAtTheEnds() {
    try (Rig rig = new Rig()) {
      rig.device.connect(null, null);
      change(rig, 1, 5);
      rig.dispatch(EventType.GID_CHANGE); // nobody hears it
      rig.device.connect(rig.events.sink(), null);
      change(rig, 2, 6);
      rig.open();
      assertEquals(List.of(), differences(rig.device, rig.events.caches()));
      change(rig, 1, 7);
      rig.dispatch(EventType.GID_CHANGE);
      rig.events.close();
      assertTrue(rig.events.drain(Rig.FOREVER));
      assertEquals(List.of(), differences(rig.device, rig.events.caches()));
    }
  }

  @Test
  @DisplayName("B12: a refresh that began earlier and ends later replaces nothing")
  void overtaken() throws Exception {
    FakeDevice device = new FakeDevice("slow0");
    PortCaches caches = new PortCaches(device);
    CountDownLatch old = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    device
        .faults()
        .at(
            "queryPkey",
            () -> {
              if (calls.incrementAndGet() == 1) { // GIDs were read, P_Keys not
                old.countDown();
                Rig.await(go);
              }
            });
    Thread slow = Thread.ofPlatform().start(() -> caches.refresh(1));
    Rig.await(old);
    device.ports().gid(1, 2, Gid.linkLocal(2));
    caches.refresh(1);
    go.countDown();
    slow.join();
    assertEquals(List.of(), differences(device, caches));
  }

  @Test
  @DisplayName(
      "S12: a refresh that fails is reported, the event delivered, and the refresh retried")
  void refreshFails() {
    try (Rig rig = new Rig()) {
      Recorder r = rig.open().handler();
      rig.device.faults().fail("queryPkey");
      change(rig, 1, 9);
      rig.dispatch(EventType.PKEY_CHANGE);
      r.await(1);
      assertEquals(EventType.PKEY_CHANGE, r.heard().getFirst().type());
      assertEquals(1, rig.events.stats().refreshErrors());
      assertTrue(rig.reports.tellsOf("cannot refresh the cache of port 1"));
      CountDownLatch asked = new CountDownLatch(1);
      rig.device.faults().at("queryPkey", asked::countDown);
      rig.clock.advance(EventConfig.DEFAULT.refreshRetryNs());
      Rig.await(asked);
      assertTrue(rig.events.closeAndDrain(Rig.FOREVER));
      assertEquals(List.of(), differences(rig.device, rig.events.caches()));
    }
  }

  @Test
  @DisplayName(
      "S12: an event of a port that is not there is reported, delivered, and all is refreshed")
  void noSuchPort() {
    try (Rig rig = new Rig()) {
      Recorder r = rig.open().handler();
      change(rig, 1, 3);
      change(rig, 2, 4);
      rig.device.dispatchEvent(EventType.GID_CHANGE, 9);
      assertEquals(9, r.await(1).heard().getFirst().port());
      assertEquals(List.of(), differences(rig.device, rig.events.caches()));
      assertTrue(rig.reports.tellsOf("GID_CHANGE of port 9"));
    }
  }

  @Test
  @DisplayName("S12: ports and indices out of range are refused")
  void ranges() {
    try (Rig rig = new Rig()) {
      DeviceCaches caches = rig.open().events.caches();
      assertThrows(IbInvalidException.class, () -> caches.port(0));
      assertThrows(IbInvalidException.class, () -> caches.port(3));
      assertThrows(IbInvalidException.class, () -> caches.gid(1, ENTRIES));
      assertThrows(IbInvalidException.class, () -> caches.pkey(1, -1));
    }
  }

  private static int queries(Rig rig) {
    return List.of("queryPort", "queryGid", "queryPkey").stream()
        .mapToInt(op -> rig.device.faults().hits(op))
        .sum();
  }
}

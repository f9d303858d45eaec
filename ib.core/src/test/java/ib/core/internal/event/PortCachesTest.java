package ib.core.internal.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.testing.FakeDevice;
import ib.core.verbs.Gid;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.PortAttr;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

@DisplayName("B12: the caches of ports alone")
@Timeout(600)
class PortCachesTest {
  private static final int ENTRIES = 8;

  private final FakeDevice device = new FakeDevice("fake0", 2);
  private final PortCaches caches = new PortCaches(device);

  private void attr(int port, PortAttr.Builder attr) {
    device.ports().attr(port, attr.build());
  }

  private static void assertRefused(String what, String allowed, Executable call) {
    String text = assertThrows(IbInvalidException.class, call).getMessage();
    assertTrue(text.contains(what) && text.contains(allowed), text);
  }

  @Test
  @DisplayName("B12: before the first refresh the caches query the driver each time")
  void notLoaded() {
    for (int n = 1; n <= 2; n++) {
      device.ports().gid(2, ENTRIES - 1, Gid.linkLocal(n));
      device.ports().pkey(2, ENTRIES - 1, n);
      attr(2, device.ops().queryPort(2).toBuilder().lid(n));
      assertEquals(Gid.linkLocal(n), caches.gid(2, ENTRIES - 1));
      assertEquals(n, caches.pkey(2, ENTRIES - 1));
      assertEquals(n, caches.port(2).lid());
    }
  }

  @Test
  @DisplayName("B12: a refresh loads its port only, whole; the driver is asked no more for it")
  void loaded() {
    caches.refresh(2);
    int asked = asked();
    for (int index = 0; index < ENTRIES; index++) {
      caches.gid(2, index);
      caches.pkey(2, index);
    }
    caches.port(2);
    assertEquals(asked, asked());
    caches.port(1);
    caches.gid(1, 0);
    caches.pkey(1, 0);
    assertEquals(asked + 3, asked());
  }

  private int asked() {
    return device.faults().hits("queryPort")
        + device.faults().hits("queryGid")
        + device.faults().hits("queryPkey");
  }

  @Test
  @DisplayName("S12: ports that are not there are refused with the range, before and after a load")
  void ports() {
    for (int round = 0; round < 2; round++) {
      for (int port : new int[] {0, 3}) {
        String what = "fake0 port " + port;
        assertRefused(what, "1 to 2", () -> caches.refresh(port));
        assertRefused(what, "1 to 2", () -> caches.port(port));
        assertRefused(what, "1 to 2", () -> caches.gid(port, 0));
        assertRefused(what, "1 to 2", () -> caches.pkey(port, 0));
      }
      caches.refresh(1);
      caches.refresh(2);
    }
  }

  @Test
  @DisplayName("S12: indices outside of a table are refused with the table and its range")
  void indices() {
    caches.refresh(2);
    for (int index : new int[] {-1, ENTRIES}) {
      assertRefused("port 2 GID index " + index, "0 to 7", () -> caches.gid(2, index));
      assertRefused("port 2 P_Key index " + index, "0 to 7", () -> caches.pkey(2, index));
    }
  }

  @Test
  @DisplayName("B6: a table whose length changed is read again, whatever its number says")
  void length() {
    device.ports().numbered = true;
    caches.refresh(1);
    attr(1, device.ops().queryPort(1).toBuilder().gidTableLen(2).pkeyTableLen(3));
    caches.refresh(1, false, false);
    assertEquals(device.ops().queryGid(1, 1), caches.gid(1, 1));
    assertRefused("GID index 2", "0 to 1", () -> caches.gid(1, 2));
    assertRefused("P_Key index 3", "0 to 2", () -> caches.pkey(1, 3));
  }

  @Test
  @DisplayName("B6: an entry that changes after a refresh has read it is read by the next one")
  void changesWhileItIsRead() {
    device.ports().numbered = true;
    Gid gid = Gid.linkLocal(77);
    device
        .faults()
        .at(
            "queryGid",
            () -> {
              if (device.faults().hits("queryGid") == ENTRIES) { // entry 0 was read
                device.ports().gid(1, 0, gid);
              }
            });
    device
        .faults()
        .at(
            "queryPkey",
            () -> {
              if (device.faults().hits("queryPkey") == ENTRIES) {
                device.ports().pkey(1, 0, 0x77);
              }
            });
    caches.refresh(1);
    assertNotEquals(gid, caches.gid(1, 0));
    assertNotEquals(0x77, caches.pkey(1, 0));
    caches.refresh(1, false, false);
    assertEquals(gid, caches.gid(1, 0));
    assertEquals(0x77, caches.pkey(1, 0));
  }

  @Test
  @DisplayName("B12: attributes and both tables of an overtaken refresh are dropped")
  void overtaken() throws InterruptedException {
    caches.refresh(1);
    CountDownLatch last = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Thread slow = new Thread(() -> caches.refresh(1));
    device
        .faults()
        .at(
            "queryPkey",
            () -> {
              if (Thread.currentThread().equals(slow)) { // it has all but the last entry
                int of = device.faults().hits("queryPkey");
                if (of == 2 * ENTRIES) {
                  last.countDown();
                  Rig.await(go);
                }
              }
            });
    slow.start();
    Rig.await(last);
    Gid gid = Gid.linkLocal(77);
    assertNotEquals(gid, caches.gid(1, 3));
    device.ports().gid(1, 3, gid);
    device.ports().pkey(1, 3, 0x77);
    attr(1, device.ops().queryPort(1).toBuilder().lid(0x77));
    caches.refresh(1);
    go.countDown();
    slow.join();
    assertEquals(gid, caches.gid(1, 3));
    assertEquals(0x77, caches.pkey(1, 3));
    assertEquals(0x77, caches.port(1).lid());
  }

  @Test
  @DisplayName("B12: in the next life each refresh counts as a later one, and reads both tables")
  void nextLife() {
    device.ports().numbered = true;
    for (int i = 0; i < 3; i++) {
      caches.refresh(1);
    }
    PortCaches next = caches.next();
    attr(1, device.ops().queryPort(1).toBuilder().lid(0x77));
    int gids = device.faults().hits("queryGid");
    int pkeys = device.faults().hits("queryPkey");
    assertNotEquals(0x77, next.port(1).lid(), "what was known still counts");
    next.refresh(1, false, false);
    assertEquals(0x77, next.port(1).lid());
    assertEquals(gids + ENTRIES, device.faults().hits("queryGid"));
    assertEquals(pkeys + ENTRIES, device.faults().hits("queryPkey"));
  }
}

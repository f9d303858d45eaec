package ib.driver.soft.standalone;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.client.DeviceLease;
import ib.core.client.IbLeakException;
import ib.core.spi.FaultInjection;
import ib.core.spi.PacketCapture;
import ib.core.spi.StandaloneCore;
import ib.core.spi.StandaloneFabric;
import ib.core.verbs.Errno;
import ib.core.verbs.IbDeadlockException;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbExistsException;
import ib.core.verbs.IbInvalidException;
import ib.core.verbs.IbNoDeviceException;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.PortState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("U19: devices for a program without OSGi")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SoftFabricTest {

  /** The threads of ib that run. */
  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith("ib"))
        .collect(Collectors.toSet());
  }

  private static void assertEnded(Set<Thread> before) {
    Set<Thread> more = threads();
    more.removeAll(before);
    for (Thread thread : more) {
      try {
        assertTrue(thread.join(Duration.ofMinutes(5)), thread + " does not end");
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  @DisplayName(
      "two devices on one switch, whose ports are active, and no thread is left afterwards")
  void open() {
    Set<Thread> before = threads();
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      assertEquals(List.of("soft0", "soft1"), fabric.names());
      assertEquals(List.of("soft0", "soft1"), names(fabric));
      for (IbDevice device : fabric.devices()) {
        assertEquals(PortState.ACTIVE, device.queryPort(1).state());
        assertEquals(LinkLayer.INFINIBAND, device.queryPort(1).linkLayer());
      }
      assertNotEquals(
          fabric.device("soft0").queryPort(1).lid(), fabric.device("soft1").queryPort(1).lid());
      assertNotEquals(Set.of(), threads());
    }
    assertEnded(before);
  }

  private static List<String> names(StandaloneFabric fabric) {
    return fabric.devices().stream().map(IbDevice::name).toList();
  }

  @Test
  @DisplayName("options: keys of all devices and of one, limits, faults with a seed for each")
  void options() {
    try (SoftFabric fabric =
        SoftFabric.options()
            .devices("soft0")
            .device("soft1", Map.of("ports", 2, "mtu", 1024, "comp_vectors", 3))
            .key("comp_vectors", 2)
            .limit(Limit.MAX_QP, 7)
            .faults("loss rate=0.5 opcode=0x04", "duplicate rate=0.1")
            .seed(42)
            .open()) {
      assertEquals(2, fabric.device("soft0").completionVectors());
      assertEquals(3, fabric.device("soft1").completionVectors());
      assertEquals(2, fabric.device("soft1").portCount());
      assertEquals(Mtu.MTU_1024, fabric.device("soft1").queryPort(2).activeMtu());
      assertEquals(7, fabric.device("soft0").attrs().limit(Limit.MAX_QP));
      for (String name : fabric.names()) {
        assertEquals(
            List.of("loss rate=0.5 opcode=0x04", "duplicate rate=0.1"),
            fabric.service(name, FaultInjection.class).list().stream()
                .map(a -> a.rule().toString())
                .toList());
      }
    }
  }

  @Test
  @DisplayName(
      "a topology: a device is the adapter of its name, with the GUID and the LID of the file")
  void topology(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("two-switches.net");
    Files.writeString(
        file,
        """
        Switch 4 "S-0000000000000a01" # "left"
        [1] "H-0000000000000b01"[1]
        [2] "S-0000000000000a02"[1]

        Switch 4 "S-0000000000000a02" # "right"
        [1] "S-0000000000000a01"[2]
        [2] "H-0000000000000c01"[1]

        Hca 1 "H-0000000000000b01" # "soft0"
        [1] "S-0000000000000a01"[1]

        Hca 1 "H-0000000000000c01" # "soft1"
        [1] "S-0000000000000a02"[2]
        """);
    Set<Thread> before = threads();
    try (SoftFabric fabric = SoftFabric.options().devices("soft0", "soft1").topology(file).open()) {
      assertEquals(0xb01, fabric.device("soft0").nodeGuid());
      assertEquals(0xc01, fabric.device("soft1").nodeGuid());
      assertEquals(PortState.ACTIVE, fabric.device("soft1").queryPort(1).state());
    }
    assertEnded(before);
    SoftFabric.Options missing = SoftFabric.options().topology(directory.resolve("none"));
    assertThrows(IbInvalidException.class, missing::open);
  }

  @Test
  @DisplayName("a mistake in the options is refused with what to try, and nothing is left open")
  void refused() {
    Set<Thread> before = threads();
    assertThrows(IbInvalidException.class, () -> SoftFabric.open("soft0", "soft0"));
    IbException name = assertThrows(IbInvalidException.class, () -> SoftFabric.open("0 soft"));
    assertTrue(name.getMessage().contains("name: a letter, then letters"), name.getMessage());
    IbException key =
        assertThrows(
            IbInvalidException.class,
            () -> SoftFabric.options().devices("soft0", "soft1").key("mtu", 5).open());
    assertTrue(key.getMessage().contains("mtu: 256, 512"), key.getMessage());
    IbException fault =
        assertThrows(
            IbInvalidException.class, () -> SoftFabric.options().devices("a").faults("no").open());
    assertTrue(fault.getMessage().contains("loss rate=0.05"), fault.getMessage());
    IbException core =
        assertThrows(
            IbInvalidException.class,
            () -> SoftFabric.options().core("callback_deadline_ms", "soon").open());
    assertTrue(core.getMessage().contains("a whole number"), core.getMessage());
    IbException driver =
        assertThrows(IbNoDeviceException.class, () -> StandaloneFabric.options("ib.driver.none"));
    assertTrue(driver.getMessage().contains("a dependency on ib:ib.driver.none"));
    assertEnded(before);
  }

  @Test
  @DisplayName(
      "two fabrics with devices of one name are two worlds; under one midlayer it is refused")
  void twice() {
    Set<Thread> before = threads();
    try (SoftFabric one = SoftFabric.open("soft0");
        SoftFabric other = SoftFabric.open("soft0", "soft1")) {
      assertEquals(List.of("soft0"), names(one));
      assertEquals(List.of("soft0", "soft1"), names(other));
    }
    assertEnded(before);
    try (StandaloneCore core = StandaloneCore.create()) {
      SoftFabric one = SoftFabric.options().devices("soft0").on(core).open();
      SoftFabric.Options same = SoftFabric.options().devices("soft1", "soft0").on(core);
      IbException e = assertThrows(IbExistsException.class, same::open);
      assertTrue(e.getMessage().contains("soft0"), e.getMessage());
      assertTrue(!e.hint().isEmpty(), "what to try");
      assertEquals(List.of("soft0"), core.core().devices().stream().map(d -> d.name()).toList());
      try (SoftFabric beside = SoftFabric.options().devices("soft1").on(core).open()) {
        assertEquals(List.of("soft1"), names(beside));
      }
      one.close();
      assertEquals(List.of(), core.core().devices());
    }
    assertEnded(before);
  }

  @Test
  @DisplayName("a queue pair that is left open: all is down, and the error says where it was made")
  void leftOpen() {
    Set<Thread> before = threads();
    SoftFabric fabric = SoftFabric.open("soft0", "soft1");
    Pair.open(fabric);
    IbLeakException e = assertThrows(IbLeakException.class, fabric::close);
    assertEquals(Errno.EBUSY, e.errno());
    assertTrue(e.what().contains("fabric of soft0, soft1"), e.what());
    assertTrue(e.why().contains(" of soft1 was left open"), e.why());
    assertTrue(e.why().contains(" at ib.driver.soft.standalone.Pair"), e.why());
    assertTrue(e.hint().contains("try-with-resources"), e.hint());
    assertEquals(8, e.leaks().size(), e::getMessage);
    assertEnded(before);
    fabric.close(); // does nothing
    assertThrows(IbNoDeviceException.class, () -> fabric.device("soft0"));
  }

  @Test
  @DisplayName(
      "a lease that is kept: the error says so at once, and the fabric can be closed later")
  void lease() {
    Set<Thread> before = threads();
    SoftFabric fabric = SoftFabric.open("soft0", "soft1");
    DeviceLease kept = fabric.core().lease("soft0", "a static field");
    IbException e = assertThrows(IbDeadlockException.class, fabric::close);
    assertTrue(e.why().contains("lease of soft0"), e.why());
    assertTrue(e.hint().startsWith("close the lease"), e.hint());
    kept.close();
    fabric.close();
    assertEnded(before);
  }

  @Test
  @DisplayName("a close that a lease has stopped half-way: the next close tells what was left open")
  void leakBesideLease() {
    Set<Thread> before = threads();
    SoftFabric fabric = SoftFabric.open("soft0", "soft1");
    fabric.device("soft1").allocPd();
    DeviceLease kept = fabric.core().lease("soft0", "a static field");
    assertThrows(IbDeadlockException.class, fabric::close);
    kept.close();
    IbLeakException told = assertThrows(IbLeakException.class, fabric::close);
    assertEquals(1, told.leaks().size());
    fabric.close();
    assertEnded(before);
  }

  @Test
  @DisplayName(
      "a device is pulled out and plugged in again, and its cable, and errors name what is there")
  void plugging() {
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1")) {
      fabric.unplug("soft1");
      fabric.unplug("soft1");
      IbException out = assertThrows(IbNoDeviceException.class, () -> fabric.device("soft1"));
      assertTrue(out.getMessage().contains("it is unplugged"), out.getMessage());
      assertEquals(List.of("soft0"), names(fabric));
      fabric.plug("soft1");
      assertEquals(PortState.ACTIVE, fabric.device("soft1").queryPort(1).state());
      fabric.set("soft1", "link", "down");
      assertNotEquals(PortState.ACTIVE, fabric.device("soft1").queryPort(1).state());
      assertThrows(IbInvalidException.class, () -> fabric.set("soft1", "link", "sideways"));
      fabric.set("soft1", "link", "up");
      IbException none = assertThrows(IbNoDeviceException.class, () -> fabric.device("soft7"));
      assertTrue(none.hint().contains("soft0"), none.hint());
      assertThrows(IbNoDeviceException.class, () -> fabric.unplug("soft7"));
      assertThrows(IbNoDeviceException.class, () -> fabric.set("soft7", "link", "up"));
      assertEquals("soft0", fabric.service("soft0", PacketCapture.class).device());
      assertThrows(IbNotSupportedException.class, () -> fabric.service("soft0", Runnable.class));
    }
  }

  @Test
  @DisplayName("a message goes across, and back")
  void message() {
    try (SoftFabric fabric = SoftFabric.open("soft0", "soft1");
        Pair pair = Pair.open(fabric)) {
      assertArrayEquals(new int[] {7, 8}, pair.exchange(7, 8));
    }
  }
}

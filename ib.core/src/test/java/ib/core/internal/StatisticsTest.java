package ib.core.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.DeviceRegistration;
import ib.core.spi.StandaloneCore;
import ib.core.testing.FakeDevice;
import ib.core.testing.Wait;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("D11: devices in JMX and Flight Recorder")
class StatisticsTest {
  private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

  private Set<String> shown(String name) {
    try {
      ObjectName pattern = new ObjectName("ib:type=Device,name=" + name + ",*");
      return server.queryNames(pattern, null).stream()
          .map(ObjectName::toString)
          .collect(Collectors.toSet());
    } catch (MalformedObjectNameException e) {
      throw new AssertionError(e);
    }
  }

  /** Devices are shown, and taken back, on a thread of their own (A10). */
  private void awaitShown(String name, String... beans) {
    Wait.until(() -> shown(name).equals(Set.of(beans)));
  }

  @Test
  @DisplayName("A10: a JMX that hangs holds no device up, neither when it comes nor when it goes")
  void a10Hangs() {
    CountDownLatch go = new CountDownLatch(1);
    FakeDevice device = new FakeDevice("jmx3");
    device.faults().at("counters", () -> Wait.on(go)); // asked for by the bean server
    try (StandaloneCore core = StandaloneCore.create()) {
      Wait.end(Wait.start(() -> core.drivers().register(device).unregister()));
      assertEquals(List.of(), core.core().devices());
      go.countDown();
    }
    assertEquals(Set.of(), shown("jmx3"), "closing the core has waited");
  }

  @Test
  @DisplayName("A10: a JMX that is broken fails no device, and the next one is shown")
  void a10Broken() {
    FakeDevice broken = new FakeDevice("jmx4");
    broken.faults().fail("counters");
    try (StandaloneCore core = StandaloneCore.create()) {
      core.drivers().register(broken);
      core.drivers().register(new FakeDevice("jmx5"));
      awaitShown("jmx5", "ib:type=Device,name=jmx5");
      assertEquals(2, core.core().devices().size());
      assertEquals(Set.of(), shown("jmx4"));
    }
    assertEquals(Set.of(), shown("jmx5"));
  }

  @Test
  @DisplayName("F35: one bean while the device is there, under its present name, none afterwards")
  void bean() throws Exception {
    try (StandaloneCore core = StandaloneCore.create()) {
      DeviceRegistration registration = core.drivers().register(new FakeDevice("jmx0"));
      awaitShown("jmx0", "ib:type=Device,name=jmx0");
      ObjectName name = new ObjectName("ib:type=Device,name=jmx0");
      assertEquals(1L, server.getAttribute(name, "port1.fake_counter"));
      assertEquals(
          List.of("port1.fake_counter"),
          server.getAttributes(name, new String[] {"port1.fake_counter", "no"}).asList().stream()
              .map(a -> a.getName())
              .toList());
      Assertions.assertThrows(
          AttributeNotFoundException.class, () -> server.getAttribute(name, "port9.fake_counter"));
      core.core().rename("jmx0", "jmx1");
      awaitShown("jmx1", "ib:type=Device,name=jmx1");
      assertEquals(Set.of(), shown("jmx0"));
      registration.unregister();
      awaitShown("jmx1");
    }
  }

  @Test
  @DisplayName("two midlayers with a device of the same name: two beans")
  void twice() throws Exception {
    try (StandaloneCore one = StandaloneCore.create();
        StandaloneCore two = StandaloneCore.create()) {
      one.drivers().register(new FakeDevice("jmx2"));
      two.drivers().register(new FakeDevice("jmx2"));
      awaitShown("jmx2", "ib:type=Device,name=jmx2", "ib:type=Device,name=jmx2,instance=2");
    }
    assertEquals(Set.of(), shown("jmx2"));
  }

  @Test
  @DisplayName("api 9: the phases of hot-plug and the counters are events of Flight Recorder")
  void recorded(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("hotplug.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("ib.Hotplug").withoutThreshold();
      recording.enable("ib.Counter").with("period", "endChunk");
      recording.start();
      try (StandaloneCore core = StandaloneCore.create()) {
        DeviceRegistration registration = core.drivers().register(new FakeDevice("jfr0"));
        awaitShown("jfr0", "ib:type=Device,name=jfr0");
        recording.stop();
        registration.unregister();
      }
      recording.dump(file);
    }
    assertTrue(Files.size(file) > 0);
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertTrue(
        events.stream()
            .filter(e -> e.getEventType().getName().equals("ib.Hotplug"))
            .anyMatch(
                e -> e.getString("device").equals("jfr0") && e.getString("phase").equals("probe")),
        events.toString());
    assertTrue(
        events.stream()
            .filter(e -> e.getEventType().getName().equals("ib.Counter"))
            .anyMatch(
                e ->
                    e.getString("device").equals("jfr0")
                        && e.getString("counter").equals("fake_counter")
                        && e.getLong("value") == 1),
        events.toString());
    assertFalse(
        events.stream().anyMatch(e -> e.getEventType().getName().equals("ib.Post")),
        "off unless enabled");
  }
}

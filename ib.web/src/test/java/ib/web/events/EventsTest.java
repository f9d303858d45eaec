package ib.web.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.DeviceSlot;
import ib.driver.soft.standalone.SoftFabric;
import ib.web.page.Markup;
import ib.web.page.Query;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The events of devices, their gaps, and the steps of hot-plug")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventsTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_000_000);

  private record Slot(String name) implements DeviceSlot {
    @Override
    public boolean plugged() {
      return false;
    }

    @Override
    public void plug() {}

    @Override
    public void unplug() {}
  }

  private static String draw(SoftFabric soft, List<DeviceSlot> slots, EventRing ring) {
    Markup out = new Markup();
    InstantSource clock = InstantSource.fixed(NOW);
    new EventsScreen(soft.core(), () -> slots, ring, clock).drawLive(out, new Query(Map.of()));
    return out.toString();
  }

  @Test
  @DisplayName(
      "numbers that are missing are a gap of their device; a device plugged in anew begins at 1")
  void gaps() {
    EventRing ring = new EventRing();
    ring.add(NOW, "a", "PORT_ACTIVE", "port 1", 1);
    ring.add(NOW, "b", "PORT_ACTIVE", "port 1", 1);
    ring.add(NOW, "a", "LID_CHANGE", "port 1", 4);
    ring.add(NOW, "a", "QP_FATAL", "QP 3", 0);
    ring.add(NOW, "a", "PORT_ERR", "port 1", 5);
    ring.add(NOW, "a", "PORT_ACTIVE", "port 1", 1);
    assertEquals(
        List.of(0L, 0L, 2L, 0L, 0L, 0L),
        ring.entries().stream().map(EventRing.Entry::missing).toList());
  }

  @Test
  @DisplayName("the latest 500 are kept")
  void bound() {
    EventRing ring = new EventRing();
    for (int i = 1; i <= 2000; i++) {
      ring.add(NOW, "a", "LID_CHANGE", "", i);
    }
    assertEquals(EventRing.MAX_EVENTS, ring.entries().size());
    assertEquals(2000, ring.entries().getLast().number());
  }

  @Test
  @DisplayName("the timeline marks a gap, leaves out what is older than five minutes, and escapes")
  void timeline() {
    EventRing ring = new EventRing();
    ring.add(NOW.minusSeconds(400), "a", "OLD_ONE", "", 1);
    ring.add(NOW.minusSeconds(20), "a", "PORT_ERR", "<i>", 3);
    try (SoftFabric soft = SoftFabric.open("e0")) {
      String html = draw(soft, List.of(), ring);
      assertEquals(1, html.split("<circle ", -1).length - 1, html);
      assertTrue(html.contains("class=\"event bad\""), html);
      assertTrue(html.contains("<title>1 events are missing</title>"), html);
      assertFalse(html.contains("<i>"), html);
    }
  }

  @Test
  @DisplayName("each client of the last removal is a bar, in the order of the removal report")
  void removal() {
    try (SoftFabric soft = SoftFabric.open("e0")) {
      soft.unplug("e0");
      String html = draw(soft, List.of(new Slot("e0")), new EventRing());
      int steps = soft.core().lastRemoval("e0").orElseThrow().steps().size();
      assertTrue(steps >= 2);
      assertTrue(html.contains("e0 was unplugged: "), html);
      assertEquals(steps, html.split("<rect class=\"step\"", -1).length - 1, html);
      assertTrue(html.indexOf(">sa<") < html.indexOf(">mad<"), html);
    }
  }
}

package ib.web.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ib.core.spi.DeviceSlot;
import ib.core.spi.FaultInjection;
import ib.core.spi.FaultRule;
import ib.core.spi.PacketCapture;
import ib.core.spi.SubnetView;
import ib.core.verbs.IbDevice;
import ib.core.verbs.PortCounter;
import ib.driver.soft.standalone.SoftFabric;
import ib.kit.capture.CaptureReader;
import ib.kit.capture.CapturedPacket;
import ib.tools.diags.Perfquery;
import ib.tools.getopt.CommandException;
import ib.web.fabric.Fabric.Kind;
import ib.web.fabric.Fabric.Link;
import ib.web.fabric.Fabric.Node;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The topology is what a scan finds, and the devices that it does not find")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TopologyTest {
  private static final Cables NONE =
      new Cables() {
        @Override
        public boolean has(String device) {
          return false;
        }

        @Override
        public void connect(String device, boolean in) {
          throw new RefusedException("no cable");
        }
      };

  private record Slot(String name, boolean plugged, List<String> orders) implements DeviceSlot {
    @Override
    public void plug() {
      orders.add("plug");
    }

    @Override
    public void unplug() {
      orders.add("unplug");
    }
  }

  private static Node find(Fabric fabric, String label) {
    return fabric.nodes().stream().filter(n -> n.label().equals(label)).findFirst().orElseThrow();
  }

  private static List<SubnetView> views(SoftFabric soft) {
    return soft.devices().stream().map(d -> soft.service(d.name(), SubnetView.class)).toList();
  }

  private static Node hub(Fabric fabric) {
    return fabric.nodes().stream().filter(n -> n.kind() == Kind.SWITCH).findFirst().orElseThrow();
  }

  @Test
  @DisplayName("E3: what the page reads spends no fault rule, no counter and no capture")
  void theReadingLeavesNoTrace() {
    try (SoftFabric soft = SoftFabric.open("t0", "t1")) {
      FaultInjection faults = soft.service("t0", FaultInjection.class);
      List<CapturedPacket> seen = new CopyOnWriteArrayList<>();
      CaptureReader reader = new CaptureReader(seen::add);
      PacketCapture capture = soft.service("t0", PacketCapture.class);
      PacketCapture.Session session = capture.start(reader, PacketCapture.Filter.ALL);
      faults.add(FaultRule.parse("loss count=3"));
      Map<PortCounter, Long> before = counters(soft);
      TopologyScreen screen =
          new TopologyScreen(soft.core(), () -> views(soft), () -> List.of(), (d, p) -> -1, NONE);
      Markup out = new Markup();
      screen.drawLive(out, new Query(Map.of()));
      assertEquals(2, out.toString().split("<line", -1).length - 1, out.toString());
      assertEquals(List.of(0L), faults.list().stream().map(r -> r.fitting()).toList());
      assertEquals(before, counters(soft));
      faults.clear();
      assertEquals(List.of(), seen);
      Fabric fabric = FabricReader.read(soft.core(), views(soft), List.of(), (d, p) -> -1);
      Perfquery.run(soft.core(), "-C", "t0", "" + hub(fabric).lid());
      session.close();
      assertFalse(seen.isEmpty(), "a command's datagrams are seen");
    }
  }

  private static Map<PortCounter, Long> counters(SoftFabric soft) {
    return soft.core().portCounters("t0", 1, PortCounter.Form.EXTENDED);
  }

  @Test
  @DisplayName("a device whose fabric is not in this JVM is drawn without links, with the reason")
  void aFabricOfAnotherProgram() {
    try (SoftFabric soft = SoftFabric.open("t0")) {
      Fabric fabric = FabricReader.read(soft.core(), List.of(), List.of(), (d, p) -> -1);
      assertEquals(List.of("t0 port 1: its fabric is not in this JVM"), fabric.notes());
      assertEquals("PORT_ACTIVE", find(fabric, "t0").state());
    }
  }

  @Test
  @DisplayName(
      "two devices and their switch: three nodes, two links, each once, with the port state")
  void nodesAndLinksOfAScan() {
    try (SoftFabric soft = SoftFabric.open("t0", "t1")) {
      Fabric fabric =
          FabricReader.read(
              soft.core(), views(soft), List.of(), (d, p) -> d.equals("t0") ? 7e6 : -1);
      assertEquals(List.of(), fabric.notes());
      assertEquals(3, fabric.nodes().size());
      Node t0 = find(fabric, "t0");
      assertEquals(Kind.DEVICE, t0.kind());
      assertEquals("PORT_ACTIVE", t0.state());
      assertTrue(t0.lid() > 0);
      Node hub = hub(fabric);
      assertEquals(2, fabric.links().size());
      for (Link link : fabric.links()) {
        assertEquals("PORT_ACTIVE", link.state());
        List<String> ends = List.of(link.from(), link.to());
        assertTrue(ends.contains(hub.id()), ends.toString());
        assertEquals(ends.contains(t0.id()) ? 7e6 : -1, link.bytesPerS());
      }
    }
  }

  @Test
  @DisplayName("a device whose cable is pulled stays, without a link, with the state DOWN")
  void aPulledCable() {
    try (SoftFabric soft = SoftFabric.open("t0", "t1")) {
      soft.set("t1", "link", "down");
      Fabric fabric = FabricReader.read(soft.core(), views(soft), List.of(), (d, p) -> -1);
      Node t1 = find(fabric, "t1");
      assertEquals("PORT_DOWN", t1.state());
      assertEquals(1, fabric.links().size());
      assertTrue(draw(fabric).contains("class=\"node device down\" id=\"node-t1\""));
    }
  }

  @Test
  @DisplayName("a slot without its device is drawn grey, where the device was")
  void anUnpluggedSlot() {
    try (SoftFabric soft = SoftFabric.open("t0", "t1")) {
      String before = draw(FabricReader.read(soft.core(), views(soft), List.of(), (d, p) -> -1));
      soft.unplug("t1");
      Slot slot = new Slot("t1", false, List.of());
      Fabric fabric = FabricReader.read(soft.core(), views(soft), List.of(slot), (d, p) -> -1);
      assertEquals(Kind.UNPLUGGED, find(fabric, "t1").kind());
      String after = draw(fabric);
      assertTrue(after.contains("class=\"node unplugged gone\" id=\"node-t1\""), after);
      assertEquals(place(before), place(after));
    }
  }

  private static String place(String svg) {
    return svg.replaceFirst("(?s).*id=\"node-t1\"[^>]*><rect ([^>]*)>.*", "$1");
  }

  private static String draw(Fabric fabric) {
    Markup out = new Markup();
    FabricDrawing.draw(out, fabric);
    return out.toString();
  }

  @Test
  @DisplayName("a name that a peer has chosen is text, never markup")
  void hostileNames() {
    String name = "<script>alert(1)</script>\"'&";
    Node node = new Node("a\" onload=\"x", name, Kind.FOREIGN, "", name, 3);
    String svg = draw(new Fabric(List.of(node), List.of(), List.of(name)));
    assertFalse(svg.contains("<script"), svg);
    assertFalse(svg.contains(" onload=\""), svg);
    assertTrue(svg.contains("&lt;script&gt;alert(1)"), svg);
  }

  @Test
  @DisplayName("a link is the wider the more bytes it carries, within bounds")
  void widths() {
    assertEquals(FabricDrawing.stroke(-1), FabricDrawing.stroke(900));
    assertTrue(FabricDrawing.stroke(1e6) > FabricDrawing.stroke(1e4));
    assertTrue(FabricDrawing.stroke(1e6) < FabricDrawing.stroke(1e8));
    assertEquals(FabricDrawing.stroke(1e30), FabricDrawing.stroke(Double.MAX_VALUE));
    assertEquals("12.3 MB/s", FabricDrawing.rate(12_300_000));
    assertEquals("traffic not known", FabricDrawing.rate(-1));
  }

  @Test
  @DisplayName("the buttons of a device's panel plug and unplug it; an unknown device is refused")
  void orders() {
    try (SoftFabric soft = SoftFabric.open("t0")) {
      List<String> orders = new ArrayList<>();
      Slot slot = new Slot("t0", true, orders);
      TopologyScreen screen =
          new TopologyScreen(
              soft.core(), () -> views(soft), () -> List.of(slot), (d, p) -> -1, NONE);
      Markup out = new Markup();
      screen.drawLive(out, new Query(Map.of("show", "t0")));
      String html = out.toString();
      assertTrue(html.contains("data-act=\"unplug\" data-device=\"t0\""), html);
      assertFalse(html.contains("pull the cable"), html);
      screen.act(new Query(Map.of("act", "unplug", "device", "t0")));
      assertEquals(List.of("unplug"), orders);
      Query unknown = new Query(Map.of("act", "unplug", "device", "--help"));
      assertThrows(CommandException.class, () -> screen.act(unknown));
      Query nothing = new Query(Map.of("act", "explode", "device", "t0"));
      assertThrows(RefusedException.class, () -> screen.act(nothing));
      IbDevice still = soft.device("t0");
      assertEquals("t0", still.info().name());
    }
  }
}

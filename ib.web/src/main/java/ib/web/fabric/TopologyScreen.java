package ib.web.fabric;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import ib.core.client.IbCore;
import ib.core.spi.DeviceSlot;
import ib.core.spi.SubnetView;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.PortAttr;
import ib.tools.hotplug.Slots;
import ib.tools.output.Units;
import ib.web.page.Markup;
import ib.web.page.Query;
import ib.web.page.RefusedException;
import ib.web.page.Screen;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The fabric as a picture; a click on a device shows its ports, and plugs or unplugs it. */
public final class TopologyScreen extends Screen {
  private static final long SHARED_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private final IbCore core;
  private final Supplier<? extends Collection<SubnetView>> views;
  private final Supplier<? extends Collection<DeviceSlot>> slots;
  private final Traffic traffic;
  private final Cables cables;

  @GuardedBy("this")
  private @Nullable Reading last;

  /**
   * A reading of the fabric, which pages share that are drawn at the same time.
   *
   * @param fabric what was found
   * @param atNs when, by {@link System#nanoTime}
   * @param plugged the devices at that moment
   */
  private record Reading(Fabric fabric, long atNs, List<DeviceInfo> plugged) {}

  /**
   * Creates the screen.
   *
   * @param core the midlayer
   * @param views the fabrics of devices, read for each drawing
   * @param slots the places of devices, read for each drawing
   * @param traffic the traffic of ports
   * @param cables pulls cables
   */
  public TopologyScreen(
      IbCore core,
      Supplier<? extends Collection<SubnetView>> views,
      Supplier<? extends Collection<DeviceSlot>> slots,
      Traffic traffic,
      Cables cables) {
    super("topology", "Topology");
    this.core = core;
    this.views = views;
    this.slots = slots;
    this.traffic = traffic;
    this.cables = cables;
  }

  private synchronized Fabric fabric() {
    List<DeviceInfo> plugged = core.devices();
    Reading reading = last;
    if (reading == null
        || System.nanoTime() - reading.atNs > SHARED_NS
        || !reading.plugged.equals(plugged)) {
      Fabric fabric = FabricReader.read(core, views.get(), slots.get(), traffic);
      reading = new Reading(fabric, System.nanoTime(), plugged);
      last = reading;
    }
    return reading.fabric;
  }

  @Override
  public void drawLive(Markup out, Query query) {
    FabricDrawing.draw(out, fabric());
    String shown = query.get("show");
    if (shown.isEmpty()) {
      out.element("p", "A click on a device shows its ports.", "class", "hint");
    } else {
      drawDevice(out, shown);
    }
  }

  private void drawDevice(Markup out, String name) {
    out.open("section", "class", "panel", "id", "panel").element("h3", name);
    DeviceInfo info =
        core.devices().stream().filter(d -> d.name().equals(name)).findFirst().orElse(null);
    IbDevice device = core.device(name).orElse(null);
    if (info == null || device == null) {
      out.element("p", name + " is unplugged.");
      out.button("plug", "plug in", "device", name).close("section");
      return;
    }
    try {
      drawPorts(out, info, device);
    } catch (IbException e) { // the device has gone meanwhile
      out.element("p", String.valueOf(e.getMessage()), "class", "note");
    }
    out.button("unplug", "unplug", "device", name);
    if (cables.has(name)) {
      out.button("pull", "pull the cable", "device", name);
      out.button("connect", "connect the cable", "device", name);
    }
    out.close("section");
  }

  private void drawPorts(Markup out, DeviceInfo info, IbDevice device) {
    out.element("p", info.driver() + ", node GUID " + Units.guid(info.nodeGuid()));
    out.open("table");
    out.row("th", "port", "state", "physical", "LID", "SM LID", "MTU", "link layer", "traffic");
    for (int port = 1; port <= info.portCount(); port++) {
      PortAttr a = device.port(port);
      String rate = FabricDrawing.rate(traffic.bytesPerS(info.name(), port));
      out.row(
          "td",
          port,
          a.state().label(),
          a.physState(),
          a.lid(),
          a.smLid(),
          a.activeMtu().bytes(),
          a.linkLayer().label(),
          rate);
    }
    out.close("table");
  }

  @Override
  public String act(Query query) {
    String device = query.get("device");
    switch (query.get("act")) {
      case "unplug" -> {
        return Slots.unplug(core, slots.get(), "--", device).text();
      }
      case "plug" -> {
        return Slots.plug(core, slots.get(), "--", device).text();
      }
      case "pull" -> cables.connect(device, false);
      case "connect" -> cables.connect(device, true);
      default -> throw new RefusedException("topology has no order " + query.get("act"));
    }
    return "the cable of "
        + device
        + " is being "
        + (query.get("act").equals("pull") ? "pulled" : "connected");
  }
}

package ib.web.fabric;

import ib.core.client.IbCore;
import ib.core.mad.smp.NodeInfo;
import ib.core.mad.smp.PortInfo;
import ib.core.mad.smp.SmpAttribute;
import ib.core.spi.DeviceSlot;
import ib.core.spi.SubnetView;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortState;
import ib.tools.fabric.NoAnswerException;
import ib.tools.fabric.Route;
import ib.tools.fabric.Scan;
import ib.web.fabric.Fabric.Kind;
import ib.web.fabric.Fabric.Link;
import ib.web.fabric.Fabric.Node;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One reading of the fabrics that the devices of this runtime are cabled to, out of memory: a page
 * that sent datagrams would spend the fault rules, counters and captures that it shows. For one
 * thread.
 */
public final class FabricReader {
  private final IbCore core;
  private final List<SubnetView> views;
  private final Traffic traffic;
  private final Map<Long, DeviceInfo> devices = new LinkedHashMap<>(); // by node GUID
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final List<Link> links = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  private FabricReader(IbCore core, List<SubnetView> views, Traffic traffic) {
    this.core = core;
    this.views = views;
    this.traffic = traffic;
  }

  /**
   * Scans the subnet of each InfiniBand port, each subnet once, and adds devices that no scan
   * finds. Sends no datagram and waits for none.
   *
   * @param core the midlayer
   * @param views the fabrics of devices; of a device without one, the ports are drawn without links
   * @param slots the places of devices, for those that are unplugged
   * @param traffic the traffic of ports
   * @return the nodes and links
   */
  public static Fabric read(
      IbCore core,
      Collection<? extends SubnetView> views,
      Collection<DeviceSlot> slots,
      Traffic traffic) {
    FabricReader reader = new FabricReader(core, List.copyOf(views), traffic);
    for (DeviceInfo device : core.devices()) {
      reader.devices.put(device.nodeGuid(), device);
    }
    for (DeviceInfo device : List.copyOf(reader.devices.values())) {
      reader.device(device);
    }
    for (DeviceSlot slot : slots) {
      String id = "slot-" + slot.name();
      boolean there = reader.devices.values().stream().anyMatch(d -> d.name().equals(slot.name()));
      if (!there) {
        reader.nodes.put(
            id, new Node(id, slot.name(), Kind.UNPLUGGED, slot.name(), "unplugged", 0));
      }
    }
    return new Fabric(List.copyOf(reader.nodes.values()), reader.links, reader.notes);
  }

  private void device(DeviceInfo device) {
    IbDevice handle = core.device(device.name()).orElse(null);
    String id = id(device.nodeGuid());
    if (handle == null || nodes.containsKey(id)) {
      return;
    }
    try {
      PortAttr best = handle.port(1);
      for (int port = 1; port <= device.portCount(); port++) {
        PortAttr attr = handle.port(port);
        best = attr.state().value() > best.state().value() ? attr : best;
        if (attr.linkLayer() == LinkLayer.INFINIBAND
            && attr.state().value() > PortState.DOWN.value()) {
          scan(device, port);
        }
      }
      String state = best.state().label();
      nodes.putIfAbsent(
          id, new Node(id, device.name(), Kind.DEVICE, device.name(), state, best.lid()));
    } catch (IbException e) { // the device has gone meanwhile
      notes.add(device.name() + ": " + e.getMessage());
    }
  }

  private void scan(DeviceInfo device, int port) {
    SubnetView view =
        views.stream().filter(v -> v.device().equals(device.name())).findFirst().orElse(null);
    if (view == null) {
      notes.add(device.name() + " port " + port + ": its fabric is not in this JVM");
      return;
    }
    try {
      for (Scan.Node node : Scan.of((to, a, m) -> read(view, port, to, a, m)).nodes()) {
        nodes.put(id(node), node(node));
        node.ports().values().forEach(this::link);
      }
    } catch (NoAnswerException e) {
      notes.add(device.name() + " port " + port + ": " + e.getMessage());
    }
  }

  private static MemorySegment read(
      SubnetView view, int port, Route.Directed to, SmpAttribute attribute, int modifier)
      throws NoAnswerException {
    return view.read(port, to.hops(), attribute, modifier)
        .orElseThrow(() -> new NoAnswerException(to.text() + " leads to no " + attribute));
  }

  private Node node(Scan.Node node) {
    Scan.Port first = node.ports().firstEntry().getValue();
    int state =
        node.ports().values().stream()
            .mapToInt(p -> PortInfo.PORT_STATE.in(p.info()))
            .max()
            .orElse(0);
    DeviceInfo own = devices.get(node.number(NodeInfo.NODE_GUID));
    Kind kind = node.isSwitch() ? Kind.SWITCH : own == null ? Kind.FOREIGN : Kind.DEVICE;
    String label = own == null ? node.description() : own.name();
    String device = own == null ? "" : own.name();
    return new Node(id(node), label, kind, device, label(state), first.lid());
  }

  /** Adds the link of a port, seen from one of its two ends. */
  private void link(Scan.Port port) {
    Scan.@Nullable Port far = port.remote();
    if (far == null || known(far, port)) {
      return;
    }
    String state = label(PortInfo.PORT_STATE.in(port.info()));
    double bytes = Math.max(traffic(port), traffic(far));
    links.add(new Link(id(port.node()), port.number(), id(far.node()), far.number(), state, bytes));
  }

  private boolean known(Scan.Port from, Scan.Port to) {
    return links.stream()
        .anyMatch(
            l ->
                l.from().equals(id(from.node())) && l.fromPort() == from.number()
                    || l.from().equals(id(to.node())) && l.fromPort() == to.number());
  }

  private double traffic(Scan.Port port) {
    DeviceInfo own = devices.get(port.node().number(NodeInfo.NODE_GUID));
    return own == null ? -1 : traffic.bytesPerS(own.name(), port.number());
  }

  private static String label(int state) {
    return state >= 0 && state <= PortState.ACTIVE_DEFER.value()
        ? PortState.of(state).label()
        : "state " + state;
  }

  private static String id(Scan.Node node) {
    return id(node.number(NodeInfo.NODE_GUID));
  }

  private static String id(long guid) {
    return HexFormat.of().toHexDigits(guid);
  }
}

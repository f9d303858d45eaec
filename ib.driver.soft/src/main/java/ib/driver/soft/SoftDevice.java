package ib.driver.soft;

import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.spi.FaultInjection;
import ib.core.spi.PacketCapture;
import ib.core.spi.QpDiagnosis;
import ib.core.spi.SubnetView;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.driver.base.Plugged;
import ib.driver.base.Settings;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.topology.Node;
import ib.engine.SoftHca;
import ib.engine.capture.Capture;
import ib.engine.capture.CapturingWire;
import ib.engine.fault.Faults;
import ib.engine.fault.FaultyWire;
import ib.engine.port.HcaPort;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import ib.engine.wire.WirePort;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * An adapter: an engine whose ports are cabled to a switch. Its ports are managed through the
 * agents of its node (IBA 14.2.5.6): by the built-in subnet manager, which has them ACTIVE when
 * {@link #plug} returns, or by another one that is attached, in its own time.
 */
final class SoftDevice extends DriverDevice implements Plugged<SoftConfig> {
  private static final int WIDTH_4X = 2;
  private static final int SPEED_EDR = 32;
  private static final int VL0 = 1;
  private static final int SYSTEM_IMAGE_GUID_SUPPORTED = 1 << 11;
  private static final int SUBNET_TIMEOUT = 18;

  private final Fabric fabric;
  private final SoftConfig config; // as it was built
  private final List<FabricPort> wires;
  private final Faults faults;
  private final List<FaultyWire> disturbed;
  private final Capture capture;
  private final List<CapturingWire> watched;
  private final SoftHca hca;

  private SoftDevice(Fabric fabric, SoftConfig config, String version, List<FabricPort> wires) {
    super(
        new DeviceInfo(
            config.name(),
            0,
            NodeType.CA,
            node(wires).guid(),
            node(wires).systemImageGuid(),
            config.ports(),
            SoftDriver.PID));
    this.fabric = fabric;
    this.config = config;
    this.wires = wires;
    this.faults = new Faults(config.name(), config.ports(), System.nanoTime());
    this.disturbed =
        IntStream.range(0, wires.size())
            .mapToObj(i -> new FaultyWire(wires.get(i), faults, i + 1, NanoClock.SYSTEM))
            .toList();
    this.capture =
        new Capture(
            config.name(), config.ports(), LinkLayer.INFINIBAND, NanoClock.SYSTEM, fabric::watch);
    this.watched =
        IntStream.range(0, wires.size())
            .mapToObj(i -> new CapturingWire(disturbed.get(i), capture, i + 1))
            .toList();
    this.hca =
        new SoftHca(
            engine(config, version, wires),
            List.copyOf(watched),
            new NodeAgents(this::dispatchEvent, List.copyOf(wires)));
    disturbed.forEach(wire -> wire.attach(hca));
  }

  /**
   * Builds an adapter and brings its ports up.
   *
   * @param fabric where it is cabled
   * @param config its configuration
   * @param version of the driver, shown as firmware version
   * @return the adapter
   */
  static SoftDevice plug(Fabric fabric, SoftConfig config, String version) {
    List<FabricPort> wires = new ArrayList<>();
    SoftDevice device = null;
    boolean up = false;
    try {
      wires.addAll(fabric.plug(config.name(), config.guid(), config.ports(), config.switchName()));
      device = new SoftDevice(fabric, config, version, wires);
      device.bringUp(config);
      up = true;
      return device;
    } finally {
      if (!up && device != null) {
        device.unplug();
      } else if (!up) {
        wires.forEach(FabricPort::close);
      }
    }
  }

  /** {@return the device's node in the subnet, which has the GUIDs; a topology may set them} */
  private static Node node(List<FabricPort> wires) {
    return wires.getFirst().place().node();
  }

  private static HcaConfig engine(SoftConfig config, String version, List<FabricPort> wires) {
    Map<Limit, Long> limits = new EnumMap<>(Limit.class);
    config.limits().forEach((limit, value) -> limits.put(limit, value.longValue()));
    limits.put(Limit.NUM_COMP_VECTORS, (long) config.compVectors());
    limits.put(Limit.MAX_PKEYS, (long) Settings.MAX_PKEYS);
    limits.put(Limit.MAX_SGE_RD, limits.get(Limit.MAX_SGE));
    limits.put(Limit.MAX_QP_INIT_RD_ATOM, limits.get(Limit.MAX_QP_RD_ATOM));
    long[] portGuids = wires.stream().mapToLong(wire -> wire.place().guid()).toArray();
    return HcaConfig.of(node(wires).guid(), portGuids)
        .withLink(LinkLayer.INFINIBAND, version, Mtu.MTU_4096)
        .withLimits(limits);
  }

  private void bringUp(SoftConfig config) {
    hca.start("ib-" + config.name() + "-engine");
    for (HcaPort port : ports()) {
      int i = port.number() - 1;
      FabricPort wire = wires.get(i);
      WirePort receiver = disturbed.get(i).receiver(watched.get(i).receiver(wire.agents(port)));
      wire.attach(receiver, config.mtu());
      wire.manage(new PortAgent(port), watched.get(i));
      port.update(
          b ->
              b.activeMtu(config.mtu())
                  .activeWidth(WIDTH_4X)
                  .activeSpeed(SPEED_EDR)
                  .maxVl(VL0)
                  .capFlags(SYSTEM_IMAGE_GUID_SUPPORTED)
                  .subnetTimeout(SUBNET_TIMEOUT));
    }
    change(config);
  }

  @Override
  public DriverDevice device() {
    return this;
  }

  @Override
  public DeviceOps ops() {
    return hca;
  }

  /** Changes the tables of each port before its cable, so that a port comes up with new tables. */
  @Override
  public void change(SoftConfig config) {
    faults.configure(config.faults(), config.faultSeed());
    int[] pkeys = config.pkeys().stream().mapToInt(p -> p).toArray();
    for (HcaPort port : ports()) {
      wire(port).pkeys(pkeys);
      boolean up = config.linkUp().get(port.number() - 1);
      if (up != wire(port).cabled()) {
        if (up) {
          wire(port).plugCable();
        } else {
          wire(port).pullCable();
        }
      }
    }
  }

  /** {@return whether a topology that was added or removed gives the device another place} */
  @Override
  public boolean outdated() {
    return fabric.misplaced(config.name(), config.guid(), config.switchName(), wires);
  }

  @Override
  public void unplug() {
    wires.forEach(FabricPort::close); // from now on no packet is received
    try {
      hca.shutdown();
    } finally {
      disturbed.forEach(FaultyWire::close);
      capture.close();
    }
  }

  @Override
  public Map<Class<?>, Object> offers() {
    return Map.of(
        PacketCapture.class,
        capture,
        FaultInjection.class,
        faults,
        QpDiagnosis.class,
        new FabricDiagnosis(hca.diagnosis(info().name()), wires),
        SubnetView.class,
        new FabricView(info().name(), List.copyOf(wires)));
  }

  private List<HcaPort> ports() {
    List<HcaPort> ports = new ArrayList<>();
    for (int n = 1; n <= wires.size(); n++) {
      ports.add(hca.port(n));
    }
    return ports;
  }

  private FabricPort wire(HcaPort port) {
    return wires.get(port.number() - 1);
  }
}

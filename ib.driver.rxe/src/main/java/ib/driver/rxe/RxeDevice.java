package ib.driver.rxe;

import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.spi.FaultInjection;
import ib.core.spi.PacketCapture;
import ib.core.spi.QpDiagnosis;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.IbNoMemoryException;
import ib.core.verbs.Limit;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.driver.base.Plugged;
import ib.driver.rxe.udp.HostNews;
import ib.driver.rxe.udp.LocalWires;
import ib.driver.rxe.udp.UdpWire;
import ib.engine.SoftHca;
import ib.engine.capture.Capture;
import ib.engine.capture.CapturingWire;
import ib.engine.fault.Faults;
import ib.engine.fault.FaultyWire;
import ib.engine.port.HcaPort;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** An adapter: an engine with one port that sends and receives UDP datagrams. */
final class RxeDevice extends DriverDevice implements Plugged<RxeConfig> {
  private static final int WIDTH_1X = 1;
  private static final int SPEED_SDR = 1;
  private static final int VL0 = 1;
  private static final int CM_SUPPORTED = 1 << 16;

  /** The wire; used by tests. */
  final UdpWire wire;

  private final Faults faults;
  private final FaultyWire disturbed;
  private final Capture capture;
  private final CapturingWire watched;
  private final SoftHca hca;
  private final HostNews news;

  /** The host watch; used by tests. */
  final HostWatch watch;

  private RxeDevice(
      RxeConfig config,
      LocalWires local,
      Host host,
      Host.View view,
      String version,
      Consumer<String> log) {
    long guid = config.guidGiven() ? config.guid() : view.guid().orElse(config.guid());
    super(new DeviceInfo(config.name(), 0, NodeType.CA, guid, guid, 1, RxeDriver.PID));
    this.wire = new UdpWire(config.udp(), local);
    this.faults = new Faults(config.name(), 1, System.nanoTime());
    this.disturbed = new FaultyWire(wire, faults, 1, NanoClock.SYSTEM);
    this.capture =
        new Capture(config.name(), 1, LinkLayer.ETHERNET, NanoClock.SYSTEM, running -> {});
    this.watched = new CapturingWire(disturbed, capture, 1);
    this.hca = new SoftHca(engine(config, guid, version), List.of(watched), this::dispatchEvent);
    disturbed.attach(hca);
    this.news = news(config, log);
    this.watch = new HostWatch(config, host, hca.port(1), wire, news, log);
  }

  private static HostNews news(RxeConfig config, Consumer<String> log) {
    try {
      return HostNews.open(config.udp().path());
    } catch (IOException e) {
      log.accept(
          "device "
              + config.name()
              + ": the host announces no changes: "
              + e.getMessage()
              + "; the device looks each second");
      return HostNews.silent();
    }
  }

  /**
   * Builds an adapter and binds its sockets.
   *
   * @param config configuration of the adapter
   * @param local the wires of the driver, to which this adapter's is added
   * @param host source of the host's addresses
   * @param version version of the driver, shown as firmware version
   * @param log takes warnings, during the call and later
   * @return the adapter
   * @throws IbAgainException when the UDP port is taken
   */
  static RxeDevice plug(
      RxeConfig config, LocalWires local, Host host, String version, Consumer<String> log) {
    Host.View view = host.look(config);
    RxeDevice device = new RxeDevice(config, local, host, view, version, log);
    boolean up = false;
    try {
      device.bringUp(config, view);
      int room = ReceiveRoom.given(config.udp().bufferBytes());
      ReceiveRoom.shortfall(config.name(), room, config.window()).ifPresent(log);
      up = true;
      return device;
    } catch (IOException e) {
      throw new IbNoMemoryException(
          "device " + config.name(), e.toString(), "close files, or raise the limit of open files");
    } finally {
      if (!up) {
        device.unplug();
      }
    }
  }

  private static HcaConfig engine(RxeConfig config, long guid, String version) {
    Map<Limit, Long> limits = new EnumMap<>(Limit.class);
    config.limits().forEach((limit, value) -> limits.put(limit, value.longValue()));
    limits.put(Limit.NUM_COMP_VECTORS, (long) config.compVectors());
    limits.put(Limit.MAX_PKEYS, (long) config.pkeys().size());
    limits.put(Limit.MAX_SGE_RD, limits.getOrDefault(Limit.MAX_SGE, 1L));
    limits.put(Limit.MAX_QP_INIT_RD_ATOM, limits.getOrDefault(Limit.MAX_QP_RD_ATOM, 1L));
    HcaConfig standard = HcaConfig.of(guid, guid);
    return standard
        .withLink(LinkLayer.ETHERNET, version, Mtu.MTU_4096)
        .withLimits(limits)
        .withPace(
            standard.runBudgetBytes(),
            standard.jumboBytes(),
            standard.requestPackets(),
            standard.responsePackets(),
            config.window());
  }

  private void bringUp(RxeConfig config, Host.View view) throws IOException {
    String name = "ib-" + config.name();
    hca.start(name + "-engine");
    HcaPort port = hca.port(1);
    wire.start(disturbed.receiver(watched.receiver(port)), hca.newRunContext(), name + "-rx");
    port.pkeys(config.pkeys().stream().mapToInt(p -> p).toArray());
    port.update(
        b -> b.activeWidth(WIDTH_1X).activeSpeed(SPEED_SDR).maxVl(VL0).capFlags(CM_SUPPORTED));
    port.guard(config.guard());
    change(config);
    watch.first(view);
    watch.start(name + "-watch");
  }

  @Override
  public DriverDevice device() {
    return this;
  }

  @Override
  public DeviceOps ops() {
    return hca;
  }

  @Override
  public void change(RxeConfig config) {
    faults.configure(config.faults(), config.faultSeed());
  }

  @Override
  public void unplug() {
    watch.stop();
    wire.stop(); // from now on no packet is received
    try {
      hca.shutdown();
    } finally {
      disturbed.close();
      capture.close();
      wire.close();
      news.close();
    }
  }

  @Override
  public Map<Class<?>, Object> offers() {
    return Map.of(
        PacketCapture.class, capture,
        FaultInjection.class, faults,
        QpDiagnosis.class, hca.diagnosis(info().name()));
  }
}

package ib.bench.net;

import ib.core.client.DeviceLease;
import ib.core.spi.DeviceOps;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.DriverDevice;
import ib.core.spi.FaultRule;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.driver.rxe.udp.Addresses;
import ib.driver.rxe.udp.LocalWires;
import ib.driver.rxe.udp.UdpCounter;
import ib.driver.rxe.udp.UdpOptions;
import ib.driver.rxe.udp.UdpWire;
import ib.engine.SoftHca;
import ib.engine.fault.Faults;
import ib.engine.fault.FaultyWire;
import ib.engine.port.HcaPort;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/**
 * A device as the rxe driver builds it, under a midlayer of its own. Beneath the door, {@code
 * RxeHost}: the measured thread itself does what the driver's thread does once a second, so that no
 * other thread takes the processor, and the wire's counters are printed.
 */
final class BareNode implements Node {
  private static final int BUFFER = 4 << 20;
  private static final long BUSY_POLL_NS = 0; // as the driver
  private static final int SOURCE_PORTS = 64;
  private static final int FIRST_GID = 1;

  private static final LocalWires LOCAL = new LocalWires(); // as the driver's

  private final StandaloneCore midlayer = StandaloneCore.create();
  private final UdpWire wire;
  private final Adapter adapter;
  private final DeviceRegistration registration;
  private final DeviceLease lease;

  BareNode(
      List<InetAddress> addresses,
      String io,
      String progress,
      UdpOptions.Local local,
      String faults)
      throws IOException {
    wire =
        new UdpWire(
            new UdpOptions(
                UdpOptions.ROCE_PORT,
                BUFFER,
                BUSY_POLL_NS,
                UdpOptions.Path.valueOf(io),
                SOURCE_PORTS,
                UdpOptions.Gso.AUTO,
                UdpOptions.Progress.valueOf(progress),
                UdpOptions.IdCheck.LOOSE,
                local,
                Set.of()),
            LOCAL);
    adapter = new Adapter("rxe-" + addresses.getFirst().getHostAddress(), wire, faults);
    for (InetAddress address : addresses) {
      wire.open(address);
    }
    adapter.up(addresses);
    registration = midlayer.drivers().register(adapter);
    lease = midlayer.core().lease(adapter.name(), "bench");
  }

  @Override
  public IbDevice device() {
    return lease.device();
  }

  @Override
  public int gidIndex() {
    return FIRST_GID;
  }

  @Override
  public void look() {
    wire.look();
  }

  @Override
  public long counter(UdpCounter which) {
    return wire.counter(which);
  }

  @Override
  public String counters() {
    return wire.counters().toString();
  }

  @Override
  public void close() {
    lease.close();
    registration.unregister();
    wire.stop();
    adapter.stop();
    wire.close();
    midlayer.close();
  }

  private static final class Adapter extends DriverDevice {
    private final FaultyWire disturbed;
    private final SoftHca hca;

    Adapter(String name, UdpWire wire, String rules) throws IOException {
      long guid = name.hashCode() & 0xffffffL | 0x02c9_0300_0000_0000L;
      super(new DeviceInfo(name, 0, NodeType.CA, guid, guid, 1, "bench"));
      Faults faults = new Faults(name, 1, 1);
      disturbed = new FaultyWire(wire, faults, 1, NanoClock.SYSTEM);
      HcaConfig config = HcaConfig.of(guid, guid).withLink(LinkLayer.ETHERNET, "0", Mtu.MTU_4096);
      hca = new SoftHca(config, List.of(disturbed), this::dispatchEvent);
      disturbed.attach(hca);
      hca.start("ib-" + name + "-engine");
      wire.start(disturbed.receiver(hca.port(1)), hca.newRunContext(), "ib-" + name + "-rx");
      if (!rules.isEmpty()) {
        faults.add(FaultRule.parse(rules));
      }
    }

    void up(List<InetAddress> addresses) {
      HcaPort port = hca.port(1);
      for (int i = 0; i < addresses.size(); i++) {
        port.gid(FIRST_GID + i, Addresses.gid(addresses.get(i)));
      }
      port.pkeys(0xffff);
      port.state(PortState.ACTIVE, PhysState.LINK_UP);
    }

    @Override
    public DeviceOps ops() {
      return hca;
    }

    void stop() {
      hca.shutdown();
      disturbed.close();
    }
  }
}

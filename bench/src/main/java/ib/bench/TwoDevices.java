package ib.bench;

import ib.core.client.DeviceLease;
import ib.core.spi.DeviceOps;
import ib.core.spi.DeviceRegistration;
import ib.core.spi.DriverDevice;
import ib.core.spi.StandaloneCore;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.driver.soft.sm.BuiltinSm;
import ib.engine.SoftHca;
import ib.engine.qp.HcaConfig;
import ib.engine.qp.HcaPort;
import java.util.List;

/** Two devices on one switch, as the soft driver builds them, under a midlayer of their own. */
final class TwoDevices implements AutoCloseable {
  private final StandaloneCore midlayer = StandaloneCore.create();
  private final Fabric fabric = BuiltinSm.newFabric();
  private final Node one = new Node(fabric, "bench0", 0x02c9_0300_000b_0001L);
  private final Node two = new Node(fabric, "bench1", 0x02c9_0300_000b_0101L);
  private final DeviceRegistration first = midlayer.drivers().register(one);
  private final DeviceRegistration second = midlayer.drivers().register(two);
  private final DeviceLease a = midlayer.core().lease("bench0", "bench");
  private final DeviceLease b = midlayer.core().lease("bench1", "bench");

  IbDevice first() {
    return a.device();
  }

  IbDevice second() {
    return b.device();
  }

  @Override
  public void close() {
    b.close();
    a.close();
    second.unregister();
    first.unregister();
    two.stop();
    one.stop();
    midlayer.close();
  }

  /** A device as the soft driver builds it. */
  static final class Node extends DriverDevice {
    private final FabricPort wire;
    private final SoftHca hca;

    Node(Fabric fabric, String name, long guid) {
      super(new DeviceInfo(name, 0, NodeType.CA, guid, guid, 1, "bench"));
      wire = fabric.open("sw0");
      HcaConfig config =
          HcaConfig.of(guid, guid + 1).withLink(LinkLayer.INFINIBAND, "0", Mtu.MTU_4096);
      hca = new SoftHca(config, List.of(wire), this::dispatchEvent);
      hca.start("ib-" + name + "-engine");
      HcaPort port = hca.port(1);
      wire.attach(port, Mtu.MTU_4096);
      port.lid(wire.assignLid(), 0);
      wire.plugCable();
      port.state(PortState.ACTIVE, PhysState.LINK_UP);
    }

    @Override
    public DeviceOps ops() {
      return hca;
    }

    void stop() {
      wire.close();
      hca.shutdown();
    }
  }
}

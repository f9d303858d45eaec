package ib.tools.testing;

import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.engine.SoftHca;
import ib.engine.qp.HcaConfig;
import ib.engine.qp.HcaPort;
import java.util.List;

/**
 * A software HCA with one active port on a fabric. Unlike a device of the soft driver it does not
 * answer {@code ibping} by itself, so that the tool's own server is tested.
 */
public final class SoftNode extends DriverDevice implements AutoCloseable {
  private final FabricPort wire;
  private final SoftHca hca;

  /** Builds a device and brings its port up. */
  public SoftNode(Fabric fabric, String name, long guid) {
    super(new DeviceInfo(name, 0, NodeType.CA, guid, guid, 1, "test"));
    wire = fabric.open("sw0");
    HcaConfig config =
        HcaConfig.of(guid, guid + 1).withLink(LinkLayer.INFINIBAND, "1.0", Mtu.MTU_4096);
    hca = new SoftHca(config, List.of(wire), this::dispatchEvent);
    hca.start(name);
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

  /** Takes it down, when nobody uses it any more. */
  @Override
  public void close() {
    wire.close();
    hca.shutdown();
  }
}

package ib.driver.soft;

import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.spi.PacketCapture;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.LinkLayer;
import ib.core.verbs.Mtu;
import ib.core.verbs.NodeType;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.driver.soft.fabric.Fabric;
import ib.driver.soft.fabric.FabricPort;
import ib.engine.SoftHca;
import ib.engine.capture.Capture;
import ib.engine.capture.CapturingWire;
import ib.engine.port.HcaPort;
import ib.engine.qp.HcaConfig;
import ib.engine.time.NanoClock;
import java.util.List;

/**
 * A software HCA with one active port on a fabric, for the tests of other modules that change what
 * a subnet manager changes, or that need a node without agents: a device of the driver answers
 * {@code ibping}, this one does not. A test that needs neither opens a {@code SoftFabric}.
 */
public final class SoftNode extends DriverDevice implements AutoCloseable {
  private final FabricPort wire;
  private final SoftHca hca;
  private final Capture capture;

  /** Builds a device and brings its port up. */
  public SoftNode(Fabric fabric, String name, long guid) {
    super(new DeviceInfo(name, 0, NodeType.CA, guid, guid, 1, "test"));
    wire = fabric.open("sw0");
    HcaConfig config =
        HcaConfig.of(guid, guid + 1).withLink(LinkLayer.INFINIBAND, "1.0", Mtu.MTU_4096);
    capture = new Capture(name, 1, LinkLayer.INFINIBAND, NanoClock.SYSTEM, fabric::watch);
    CapturingWire watched = new CapturingWire(wire, capture, 1);
    hca = new SoftHca(config, List.of(watched), this::dispatchEvent);
    hca.start(name);
    HcaPort port = hca.port(1);
    wire.attach(watched.receiver(port), Mtu.MTU_4096);
    port.lid(wire.assignLid(), 0);
    wire.plugCable();
    port.state(PortState.ACTIVE, PhysState.LINK_UP);
  }

  /** {@return its port, to change what a subnet manager would change} */
  public HcaPort port() {
    return hca.port(1);
  }

  /** {@return what it sends and receives} */
  public PacketCapture capture() {
    return capture;
  }

  /** Pulls the cable or puts it in, with the events of that. */
  public void cable(boolean in) {
    if (in) {
      wire.plugCable();
      hca.port(1).state(PortState.ACTIVE, PhysState.LINK_UP);
    } else {
      wire.pullCable();
      hca.port(1).state(PortState.DOWN, PhysState.POLLING);
    }
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
    capture.close();
  }
}

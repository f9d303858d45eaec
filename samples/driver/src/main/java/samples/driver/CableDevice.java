package samples.driver;

import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbAgainException;
import ib.core.verbs.NodeType;
import ib.core.verbs.PhysState;
import ib.core.verbs.PortState;
import ib.driver.base.Plugged;
import ib.engine.SoftHca;
import ib.engine.qp.HcaConfig;
import java.util.List;

/** A device: the engine of ib, with one port on the cable. */
final class CableDevice extends DriverDevice implements Plugged<CableConfig> {
  private final CableConfig config;
  private final Cable cable;
  private final SoftHca hca;

  CableDevice(CableConfig config, Cable cable) {
    long guid = config.guid();
    super(new DeviceInfo(config.name(), 0, NodeType.CA, guid, guid, 1, CableDriver.PID));
    this.config = config;
    this.cable = cable;
    HcaConfig engine = HcaConfig.of(guid, guid + 1);
    hca = new SoftHca(engine, List.of(cable.end(config.lid())), this::dispatchEvent);
    hca.start("ib-" + config.name() + "-engine");
    hca.port(1).lid(config.lid(), 0);
    try {
      cable.plug(config.lid(), hca.port(1));
    } catch (IbAgainException e) {
      hca.shutdown(); // its thread ends
      throw e;
    }
    hca.port(1).state(PortState.ACTIVE, PhysState.LINK_UP);
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
  public void change(CableConfig same) {}

  @Override
  public void unplug() {
    cable.unplug(config.lid(), hca.port(1)); // no packet comes any more
    hca.shutdown();
  }
}

package ib.driver.soft.flawed;

import ib.core.spi.DeviceOps;
import ib.core.spi.DriverDevice;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;

/** A device with a flaw, around one without. */
public final class FlawedDevice extends DriverDevice {
  private final DeviceOps ops;

  /**
   * Spoils a device.
   *
   * @param inner the device
   * @param flaw what is wrong with it
   */
  public FlawedDevice(DriverDevice inner, Flaw flaw) {
    super(inner.info());
    this.ops = new Ops(inner.ops(), flaw);
    inner.connect(this::dispatchEvent, null);
  }

  @Override
  public DeviceOps ops() {
    return ops;
  }

  private static final class Ops implements DeviceOps {
    private final DeviceOps ops;
    private final Flaw flaw;
    private final PortAttr first;

    Ops(DeviceOps ops, Flaw flaw) {
      this.ops = ops;
      this.flaw = flaw;
      this.first = ops.queryPort(1);
    }

    @Override
    public DeviceAttr queryDevice() {
      return ops.queryDevice();
    }

    @Override
    public PortAttr queryPort(int port) {
      return flaw == Flaw.STALE_PORT ? first : ops.queryPort(port);
    }

    @Override
    public Gid queryGid(int port, int index) {
      return ops.queryGid(port, index);
    }

    @Override
    public int queryPkey(int port, int index) {
      return ops.queryPkey(port, index);
    }

    @Override
    public void modifyPort(int port, PortModify change) {
      ops.modifyPort(port, change);
    }

    @Override
    public ProtectionDomain allocPd(ObjectControl control) {
      return new FlawedPd(control, ops.allocPd(control), flaw);
    }

    @Override
    public CompletionQueue createCq(ObjectControl control, CqInit init) {
      return new FlawedCq(control, init, ops.createCq(control, init), flaw);
    }
  }
}

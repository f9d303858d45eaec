package ib.core.testing;

import ib.core.spi.DeviceOps;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortModify;
import ib.core.verbs.ProtectionDomain;
import java.util.Map;

/** The control path of a {@link FakeDevice}. */
final class FakeOps implements DeviceOps {
  private final FakeDevice device;

  FakeOps(FakeDevice device) {
    this.device = device;
  }

  @Override
  public DeviceAttr queryDevice() {
    device.faults().hit("queryDevice");
    return device.attributes();
  }

  @Override
  public PortAttr queryPort(int port) {
    device.faults().hit("queryPort");
    return device.ports().attr(port);
  }

  @Override
  public Gid queryGid(int port, int index) {
    device.faults().hit("queryGid");
    return device.ports().gid(port, index);
  }

  @Override
  public int queryPkey(int port, int index) {
    device.faults().hit("queryPkey");
    return device.ports().pkey(port, index);
  }

  @Override
  public long gidChanges(int port) {
    return device.ports().gidChanges();
  }

  @Override
  public long pkeyChanges(int port) {
    return device.ports().pkeyChanges();
  }

  @Override
  public ProtectionDomain allocPd(ObjectControl control) {
    device.faults().hit("allocPd");
    return new FakePd(control, device);
  }

  @Override
  public CompletionQueue createCq(ObjectControl control, CqInit init) {
    device.faults().hit("createCq");
    return new FakeCq(control, device, init);
  }

  @Override
  public void modifyPort(int port, PortModify change) {
    device.faults().hit("modifyPort");
    PortAttr now = device.ports().attr(port);
    int flags = now.capFlags() & ~change.clearCapMask() | change.setCapMask();
    device.ports().attr(port, now.toBuilder().capFlags(flags).build());
  }

  @Override
  public Map<String, Long> counters(int port) {
    device.faults().hit("counters");
    return Map.of("fake_counter", 1L);
  }
}

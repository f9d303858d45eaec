package ib.driver.verbs.object;

import ib.core.spi.DeviceOps;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.ProtectionDomain;
import java.util.Map;

/** The control path of a device of the host. */
public final class VerbsOps implements DeviceOps {
  private final VerbsContext context;
  private final DeviceAttr attrs;
  private final Queries queries;
  private final Sysfs sysfs;

  /**
   * Asks the device what it can do.
   *
   * @param context the device
   * @param sysfs its files
   */
  public VerbsOps(VerbsContext context, Sysfs sysfs) {
    this.context = context;
    this.sysfs = sysfs;
    this.queries = new Queries(context);
    this.attrs = new Probe(context).read();
  }

  @Override
  public DeviceAttr queryDevice() {
    return attrs;
  }

  @Override
  public PortAttr queryPort(int port) {
    return queries.port(port);
  }

  @Override
  public Gid queryGid(int port, int index) {
    return queries.gid(port, index);
  }

  @Override
  public int queryPkey(int port, int index) {
    return queries.pkey(port, index);
  }

  @Override
  public ProtectionDomain allocPd(ObjectControl control) {
    return new VerbsPd(control, context);
  }

  @Override
  public CompletionQueue createCq(ObjectControl control, CqInit init) {
    return new VerbsCq(control, init, context);
  }

  @Override
  public Map<String, Long> counters(int port) {
    return sysfs.counters(context.kernelName(), port);
  }
}

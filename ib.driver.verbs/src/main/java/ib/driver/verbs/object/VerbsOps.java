package ib.driver.verbs.object;

import ib.core.cm.Connector;
import ib.core.spi.DeviceOps;
import ib.core.verbs.CompletionQueue;
import ib.core.verbs.CqInit;
import ib.core.verbs.DeviceAttr;
import ib.core.verbs.Gid;
import ib.core.verbs.IbNotSupportedException;
import ib.core.verbs.ObjectControl;
import ib.core.verbs.PortAttr;
import ib.core.verbs.PortCounter;
import ib.core.verbs.ProtectionDomain;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** The control path of a device of the host. */
public final class VerbsOps implements DeviceOps {
  private final VerbsContext context;
  private final DeviceAttr attrs;
  private final Queries queries;
  private final Sysfs sysfs;
  private final Supplier<Optional<Connector>> connector;
  private final Supplier<Map<String, Long>> counted;

  /**
   * Asks the device what it can do.
   *
   * @param context the device
   * @param sysfs its files
   * @param connector makes its connections, where the kernel does
   * @param counted what the driver itself counts, beside the counters of the device
   */
  public VerbsOps(
      VerbsContext context,
      Sysfs sysfs,
      Supplier<Optional<Connector>> connector,
      Supplier<Map<String, Long>> counted) {
    this.connector = connector;
    this.counted = counted;
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
  public Optional<Connector> connector() {
    return connector.get();
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
    Map<String, Long> all = sysfs.counters(context.kernelName, port);
    all.putAll(counted.get());
    return all;
  }

  private static IbNotSupportedException kernels(String method) {
    return new IbNotSupportedException(
        method,
        "the counters of a port are read and set by QP1, which belongs to the kernel of the host",
        "rdma statistic, for the device's own; or perfquery of the host");
  }

  @Override
  public Map<PortCounter, Long> portCounters(int port, PortCounter.Form form) {
    throw kernels("portCounters");
  }

  @Override
  public void resetPortCounters(int port, PortCounter.Form form, Set<PortCounter> which) {
    throw kernels("resetPortCounters");
  }
}

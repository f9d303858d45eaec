package ib.core.internal.osgi;

import ib.core.client.IbClient;
import ib.core.client.IbCore;
import ib.core.internal.CoreConfig;
import ib.core.internal.Midlayer;
import ib.core.internal.hotplug.ClientEntry;
import ib.core.internal.hotplug.DeviceEntry;
import ib.core.internal.hotplug.Limits;
import ib.core.spi.ContractReports;
import ib.core.spi.DriverRegistry;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbInvalidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.SynchronousBundleListener;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bundle's entry: {@code IbDevice} and {@code IbClient} services become devices and clients of
 * one midlayer, which {@code IbCore} and {@code DriverRegistry} services show.
 *
 * <p>When another bundle begins to stop, its devices go first, the youngest first (CC-22), then its
 * clients, before its activator's {@code stop}: a driver that forgets to unregister first keeps S28
 * all the same (CC-26).
 */
@Component(
    service = {},
    configurationPid = IbCoreComponent.PID,
    immediate = true)
public final class IbCoreComponent {
  /** The PID of the configuration, {@link CoreConfig#SCHEMA}. */
  static final String PID = CoreConfig.PID;

  private static final Logger LOG = LoggerFactory.getLogger("ib.core");
  private static final List<Wanted> WANTED =
      List.of(
          new Wanted(
              "ds.lock.timeout.milliseconds",
              "600000",
              "Felix SCR stops waiting for a slow activation after 5000 ms"),
          new Wanted(
              "org.apache.felix.eventadmin.Timeout",
              "0",
              "Felix EventAdmin calls an event handler no more that has taken longer than 5000 ms"));

  /** A framework property, the value it should have, and what happens without it. */
  private record Wanted(String property, String value, String without) {}

  private final BundleContext context;
  private final Midlayer midlayer = new Midlayer(Limits.DEFAULT);
  private final ServiceGate<IbClient, ClientEntry> clients;
  private final ServiceGate<IbDevice, DeviceEntry> devices;
  private final SynchronousBundleListener stopping = this::bundleChanged;
  private final EventAdminBridge bridge;
  private final List<ServiceRegistration<?>> services = new ArrayList<>();

  /**
   * Starts the midlayer: clients first, so that devices meet them in order.
   *
   * @param context the bundle's context
   * @param values the configuration, if any
   * @throws InvalidSyntaxException never: the filters are constants
   */
  @Activate
  public IbCoreComponent(BundleContext context, Map<String, ?> values)
      throws InvalidSyntaxException {
    this.context = context;
    configure(values);
    for (Wanted wanted : WANTED) {
      if (context.getProperty(wanted.property) == null) {
        LOG.warn(
            "framework property {} is not set: set it to {}; without it {}",
            wanted.property,
            wanted.value,
            wanted.without);
      }
    }
    bridge = new EventAdminBridge(context, midlayer.events());
    clients = new ServiceGate<>(context, IbClient.class, new ClientWork(midlayer));
    devices = new ServiceGate<>(context, IbDevice.class, new DeviceWork(midlayer));
    try {
      open();
    } catch (InvalidSyntaxException | RuntimeException | LinkageError failed) {
      undo(failed);
      throw failed;
    }
  }

  private void open() throws InvalidSyntaxException {
    bridge.open();
    context.addBundleListener(stopping);
    clients.open();
    devices.open();
    midlayer.arrivals().whenFreed(clients::again);
    midlayer.arrivals().whenFreed(devices::again);
    Strangers.told(context.getBundle(), context).ifPresent(LOG::warn);
    services.add(context.registerService(ContractReports.class, midlayer.reports(), null));
    services.add(context.registerService(IbCore.class, midlayer, null));
    services.add(context.registerService(DriverRegistry.class, midlayer, null));
  }

  /** Closes what a component has opened whose start fails: OSGi does not stop such a component. */
  private void undo(Throwable failed) {
    try {
      stop();
    } catch (RuntimeException e) {
      failed.addSuppressed(e);
    }
  }

  /**
   * The configuration is new, has changed or was deleted. A bad one is reported once, and what was
   * good goes on.
   *
   * @param values the configuration
   */
  @Modified
  void configure(Map<String, ?> values) {
    try {
      midlayer.configure(CoreConfig.read(values));
    } catch (IbInvalidException e) {
      LOG.error("{}; the last good configuration goes on", e.getMessage());
    }
  }

  /** Removes all clients from all devices, the youngest first, and ends all threads. */
  @Deactivate
  public void stop() {
    services.forEach(ServiceRegistration::unregister);
    midlayer.close();
    context.removeBundleListener(stopping);
    devices.close();
    clients.close();
    bridge.close();
  }

  private void bundleChanged(BundleEvent event) {
    if (event.getType() == BundleEvent.STOPPING && !event.getBundle().equals(context.getBundle())) {
      devices.leaveAll(event.getBundle());
      clients.leaveAll(event.getBundle());
    }
  }
}

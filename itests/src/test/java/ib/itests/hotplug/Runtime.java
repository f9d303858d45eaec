package ib.itests.hotplug;

import ib.core.client.IbCore;
import ib.core.client.RemovalReport;
import ib.core.verbs.DeviceInfo;
import ib.core.verbs.IbDevice;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.service.cm.ConfigurationAdmin;

/** A running framework with the midlayer in it, as tests look at it. */
final class Runtime extends Framework {
  private final BundleContext own; // sees the classes of ib.core as the test does

  Runtime(BundleContext context, ConfigurationAdmin configurations) {
    super(context, configurations);
    this.own = context;
  }

  /** Deletes the configuration and waits until the device is off everything. */
  void unplug(String device) throws IOException {
    Optional<RemovalReport> before = core().lastRemoval(device);
    deconfigure(device);
    await(device + " gone", () -> !core().lastRemoval(device).equals(before));
  }

  IbCore core() {
    ServiceReference<IbCore> reference = own.getServiceReference(IbCore.class);
    return own.getService(reference);
  }

  Set<String> devices() {
    return core().devices().stream()
        .map(DeviceInfo::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  int deviceServices() throws Exception {
    return own.getServiceReferences(IbDevice.class, null).size();
  }
}

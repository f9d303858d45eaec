package ib.core.internal.osgi;

import ib.core.internal.Midlayer;
import ib.core.internal.hotplug.DeviceEntry;
import ib.core.spi.DriverDevice;
import ib.core.verbs.IbDevice;
import ib.core.verbs.IbException;
import ib.core.verbs.IbInvalidException;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.ServiceReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** {@code IbDevice} services become devices. */
final class DeviceWork implements ServiceGate.Work<IbDevice, DeviceEntry> {
  /** Service property: the device's name; a change renames the device (CC-15). */
  static final String NAME = "ib.device.name";

  private static final Logger LOG = LoggerFactory.getLogger("ib.core");
  private final Midlayer midlayer;

  DeviceWork(Midlayer midlayer) {
    this.midlayer = midlayer;
  }

  @Override
  public @Nullable String name(IbDevice service) {
    return service.name();
  }

  @Override
  public void inspect(
      ServiceReference<IbDevice> reference, IbDevice service, String bundle, String name) {
    midlayer.deviceSide().know(service.info().driver(), bundle);
  }

  @Override
  public DeviceEntry announce(ServiceReference<IbDevice> reference, IbDevice service, String name) {
    if (service instanceof DriverDevice driver) {
      return midlayer.deviceSide().announce(driver);
    }
    throw new IbInvalidException(
        "IbDevice service of " + service.getClass(),
        "it is no DriverDevice",
        "a class that extends ib.core.spi.DriverDevice");
  }

  @Override
  public void refused(String bundle, String name, IbException why) {
    Throwable cause = why.getCause(); // its stack follows, where there is one
    String text = ServiceGate.text(why);
    LOG.error("device {} of bundle {} is refused: {}", name, bundle, text, cause);
  }

  @Override
  public void change(String bundle, String how, Runnable what) {
    midlayer.arrivals().on(bundle, "an IbDevice service was " + how, what);
  }

  @Override
  public void arrive(DeviceEntry entry) {
    try {
      midlayer.deviceSide().bringUp(entry);
    } catch (Throwable e) { // the driver's
      LOG.error("device {} is refused, no client has seen it", entry.name(), e);
    }
  }

  @Override
  public void modified(ServiceReference<IbDevice> reference, DeviceEntry entry) {
    rename(reference, entry, Level.ERROR);
  }

  @Override
  public void freed(ServiceReference<IbDevice> reference, DeviceEntry entry) {
    rename(reference, entry, Level.DEBUG); // a refusal was reported when the property changed
  }

  private void rename(ServiceReference<IbDevice> reference, DeviceEntry entry, Level refusal) {
    if (reference.getProperty(NAME) instanceof String name && !name.equals(entry.name())) {
      try {
        midlayer.deviceSide().rename(entry, name);
      } catch (IbException e) {
        LOG.atLevel(refusal).log("device {} keeps its name: {}", entry.name(), e.getMessage());
      }
    }
  }

  @Override
  public void leave(DeviceEntry entry) {
    midlayer.deviceSide().remove(entry);
  }
}

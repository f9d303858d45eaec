package ib.driver.soft;

import ib.core.client.LocalServices;
import ib.core.spi.DeviceSlot;
import ib.core.verbs.IbDevice;
import ib.driver.base.osgi.Driver;
import ib.driver.soft.fabric.Fabric;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ManagedServiceFactory;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * The driver: one device per configuration of factory PID {@code ib.driver.soft} ({@link
 * ConfigReader#SCHEMA}).
 *
 * <p>It provides no {@link IbDevice} itself, since SCR would announce it before it is built: a
 * device is registered by hand, last (S27), and unregistered by hand, first (S28). Each instance
 * also offers a {@link DeviceSlot}, which stays while the device is unplugged.
 */
@Component(
    name = SoftDriver.PID,
    service = ManagedServiceFactory.class,
    property = "service.pid=" + SoftDriver.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE,
    immediate = true)
public final class SoftDriver extends Driver<SoftConfig> {
  /** The factory PID. */
  static final String PID = "ib.driver.soft";

  private final Fabric fabric;

  /**
   * Starts without devices.
   *
   * @param context of the bundle
   * @param medium what the devices are on
   */
  @Activate
  public SoftDriver(
      BundleContext context, @Reference(target = LocalServices.ONLY) SharedFabric medium) {
    super(
        context,
        PID,
        "ib soft devices",
        ConfigReader::read,
        config ->
            SoftDevice.plug(medium.fabric(), config, context.getBundle().getVersion().toString()));
    fabric = medium.fabric();
    fabric.rearranged(this::review);
  }

  /** Takes all devices down. */
  @Deactivate
  void deactivate() {
    fabric.rearranged(() -> {});
    stop();
  }
}

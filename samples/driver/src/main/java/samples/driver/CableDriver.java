package samples.driver;

import ib.driver.base.osgi.Driver;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ManagedServiceFactory;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;

/** The driver in OSGi: a device for each configuration of its PID. */
@Component(
    service = ManagedServiceFactory.class,
    property = "service.pid=" + CableDriver.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE,
    immediate = true)
public final class CableDriver extends Driver<CableConfig> {
  static final String PID = "samples.driver";

  @Activate
  public CableDriver(BundleContext context) {
    this(context, new Cable());
  }

  private CableDriver(BundleContext context, Cable cable) {
    super(
        context, PID, "cable devices", CableConfig::read, config -> new CableDevice(config, cable));
  }

  @Deactivate
  void deactivate() {
    stop();
  }
}

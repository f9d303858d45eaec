package ib.driver.rxe;

import ib.driver.base.osgi.Driver;
import ib.driver.rxe.udp.LocalWires;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ManagedServiceFactory;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.LoggerFactory;

/**
 * The driver: one device per configuration of factory PID {@code ib.driver.rxe} ({@link RxeKeys}).
 */
@Component(
    name = RxeDriver.PID,
    service = ManagedServiceFactory.class,
    property = "service.pid=" + RxeDriver.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE,
    immediate = true)
public final class RxeDriver extends Driver<RxeConfig> {
  /** The factory PID. */
  static final String PID = "ib.driver.rxe";

  /**
   * Starts the driver; configurations add devices.
   *
   * @param context the bundle's context
   */
  @Activate
  public RxeDriver(BundleContext context) {
    this(context, new LocalWires());
  }

  private RxeDriver(BundleContext context, LocalWires local) {
    super(
        context,
        PID,
        "ib rxe devices",
        RxeReader::read,
        config ->
            RxeDevice.plug(
                config,
                local,
                Host.REAL,
                context.getBundle().getVersion().toString(),
                LoggerFactory.getLogger(RxeDriver.class)::warn));
  }

  /** Unplugs all devices. */
  @Deactivate
  void deactivate() {
    stop();
  }
}

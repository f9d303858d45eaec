package samples.driver;

import ib.core.spi.DriverRegistry;
import ib.core.spi.StandaloneDriver;
import ib.driver.base.Standalone;
import java.util.Map;

/** The driver without OSGi: for tests, and for programs that embed it. */
public final class CableStandalone implements StandaloneDriver {
  @Override
  public String name() {
    return CableDriver.PID;
  }

  @Override
  public Devices open(DriverRegistry core, Map<String, ?> medium) {
    Cable cable = new Cable();
    return new Standalone<>(
        core,
        CableDriver.PID,
        CableConfig::read,
        config -> new CableDevice(config, cable),
        () -> {});
  }
}

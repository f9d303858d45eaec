package ib.driver.soft;

import ib.core.spi.DriverRegistry;
import ib.core.spi.StandaloneDriver;
import ib.driver.base.Standalone;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** The driver without a framework; the service loader makes it. */
public final class SoftStandalone implements StandaloneDriver {
  private static final String VERSION = "0"; // a class path does not tell that of a bundle

  /** For the service loader. */
  public SoftStandalone() {}

  @Override
  public String name() {
    return SoftDriver.PID;
  }

  @Override
  public Devices open(DriverRegistry core, Map<String, ?> values) {
    Medium medium = new Medium(LoggerFactory.getLogger(SoftStandalone.class)::warn);
    medium.configure(values);
    return new Standalone<>(
        core,
        SoftDriver.PID,
        ConfigReader::read,
        config -> SoftDevice.plug(medium.fabric, config, VERSION),
        medium::close);
  }
}

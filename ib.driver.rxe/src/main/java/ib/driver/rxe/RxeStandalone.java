package ib.driver.rxe;

import ib.core.spi.DriverRegistry;
import ib.core.spi.StandaloneDriver;
import ib.driver.base.Settings;
import ib.driver.base.Standalone;
import ib.driver.rxe.udp.LocalWires;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** The driver without a framework; the service loader makes it. */
public final class RxeStandalone implements StandaloneDriver {
  private static final String VERSION = "0"; // a class path does not tell that of a bundle

  /** For the service loader. */
  public RxeStandalone() {}

  @Override
  public String name() {
    return RxeDriver.PID;
  }

  @Override
  public Devices open(DriverRegistry core, Map<String, ?> medium) {
    new Settings(medium, Set.of()).end(RxeDriver.PID); // the network needs no configuration
    Consumer<String> log = LoggerFactory.getLogger(RxeStandalone.class)::warn;
    LocalWires local = new LocalWires();
    return new Standalone<>(
        core,
        RxeDriver.PID,
        RxeReader::read,
        config -> RxeDevice.plug(config, local, Host.REAL, VERSION, log),
        () -> {});
  }
}

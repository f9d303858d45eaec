package ib.driver.verbs;

import ib.core.spi.DriverRegistry;
import ib.core.spi.StandaloneDriver;
import ib.driver.base.Settings;
import ib.driver.base.Standalone;
import ib.driver.verbs.abi.Libibverbs;
import ib.driver.verbs.object.Sysfs;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The driver without a framework; the service loader makes it. A device that the kernel takes away
 * is unplugged, and plugged in again when the kernel has one of that name again.
 */
public final class VerbsStandalone implements StandaloneDriver {
  /** For the service loader. */
  public VerbsStandalone() {}

  @Override
  public String name() {
    return VerbsDriver.PID;
  }

  @Override
  public Devices open(DriverRegistry core, Map<String, ?> medium) {
    new Settings(medium, Set.of()).end(VerbsDriver.PID); // the host's network needs none
    Consumer<String> log = LoggerFactory.getLogger(VerbsStandalone.class)::warn;
    Libraries libraries = new Libraries(Libibverbs.NAME);
    Sysfs sysfs = Sysfs.ofHost();
    AtomicReference<@Nullable Standalone<VerbsConfig>> made = new AtomicReference<>();
    Changes changes = new Changes(sysfs, () -> review(made.get()));
    HostNews news = new HostNews(libraries.library().libc(), changes::look, log);
    Standalone<VerbsConfig> devices =
        new Standalone<>(
            core,
            VerbsDriver.PID,
            VerbsReader::read,
            config -> VerbsDevice.plug(config, libraries, sysfs, log),
            news::close);
    made.set(devices);
    news.start();
    return devices;
  }

  private static void review(@Nullable Standalone<VerbsConfig> devices) {
    if (devices != null) {
      devices.review();
    }
  }

  /** Tells when the devices of the host have changed since the last look. For one thread. */
  private static final class Changes {
    private final Sysfs sysfs;
    private final Runnable changed;
    private Map<String, Sysfs.Entry> last = Map.of();

    Changes(Sysfs sysfs, Runnable changed) {
      this.sysfs = sysfs;
      this.changed = changed;
    }

    void look() {
      Map<String, Sysfs.Entry> now = sysfs.devices();
      if (!now.equals(last)) {
        last = now;
        changed.run();
      }
    }
  }
}

package ib.launcher;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceListener;
import org.osgi.framework.ServiceReference;

/**
 * Waits until every device that {@code conf/} configures is plugged, so that a script can use it at
 * once. The devices of the host are those that {@code ib.driver.verbs} has found and wants.
 */
final class DeviceWait {
  /**
   * Finds slots of plugged devices. The device's own service is registered before the core has
   * added it.
   */
  private static final String PLUGGED =
      "(&(objectClass=ib.core.spi.DeviceSlot)(ib.device.plugged=true)"
          + Activator.LOCAL_SERVICES
          + ")";

  private static final String DEVICE_NAME = "ib.device.name";

  /** Finds registered devices, also those that the core is still probing or adding clients to. */
  private static final String ARRIVING =
      "(&(objectClass=ib.core.verbs.IbDevice)("
          + DEVICE_NAME
          + "=*)"
          + Activator.LOCAL_SERVICES
          + ")";

  /** The file of the driver whose devices are those that the host has, and which names none. */
  private static final String HOST_FILE = "ib.driver.verbs.cfg";

  /** Stands for the devices of the host until the driver has said which they are. */
  private static final String OF_HOST = "of the host";

  /** The driver's names of them, once it has taken its file. */
  private static final String WANTED = "ib.devices.wanted";

  private static final String ASKED = "(&(" + WANTED + "=*)" + Activator.LOCAL_SERVICES + ")";

  /** A registered device is waited for this many times longer; then it counts as stuck. */
  private static final int PATIENCE = 30;

  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  private final BundleContext context;
  private final Path conf;

  DeviceWait(BundleContext context, Path conf) {
    this.context = context;
    this.conf = conf;
  }

  /**
   * Waits until the device of each driver configuration is plugged in. The probe of a device may
   * take long on a busy machine: while the device is in the registry, the wait goes on.
   *
   * @param timeout how long to wait for devices that are not registered
   * @return the missing devices: configuration file by device name
   */
  Map<String, String> await(Duration timeout)
      throws InterruptedException, InvalidSyntaxException, IOException {
    Map<String, String> missing = configured(conf);
    Semaphore news = new Semaphore(0);
    ServiceListener listener = event -> news.release();
    context.addServiceListener(listener, "(|" + PLUGGED + ASKED + ")");
    try {
      long begin = System.nanoTime();
      look(missing);
      while (!missing.isEmpty() && goesOn(missing, System.nanoTime() - begin, timeout.toNanos())) {
        long left = timeout.toNanos() - (System.nanoTime() - begin);
        if (news.tryAcquire(left > 0 ? left : LOOK_NS, TimeUnit.NANOSECONDS)) {
          news.drainPermits();
        }
        look(missing);
      }
      return missing;
    } finally {
      context.removeServiceListener(listener);
    }
  }

  private boolean goesOn(Map<String, String> missing, long waited, long timeout)
      throws InvalidSyntaxException {
    if (waited < timeout) {
      return true;
    }
    ServiceReference<?>[] devices = context.getAllServiceReferences(null, ARRIVING);
    return devices != null
        && waited / PATIENCE < timeout
        && Arrays.stream(devices)
            .anyMatch(d -> missing.containsKey(String.valueOf(d.getProperty(DEVICE_NAME))));
  }

  private void look(Map<String, String> missing) throws InvalidSyntaxException {
    missing.values().removeIf(HOST_FILE::equals); // the host's may have changed
    if (Files.exists(conf.resolve(HOST_FILE))) {
      ServiceReference<?>[] drivers = context.getAllServiceReferences(null, ASKED);
      if (drivers == null) {
        missing.put(OF_HOST, HOST_FILE);
      } else {
        for (String name : (String[]) drivers[0].getProperty(WANTED)) {
          missing.put(name, HOST_FILE);
        }
      }
    }
    ServiceReference<?>[] slots = context.getAllServiceReferences(null, PLUGGED);
    if (slots != null) {
      for (ServiceReference<?> slot : slots) {
        missing.remove(String.valueOf(slot.getProperty(DEVICE_NAME)));
      }
    }
  }

  /**
   * {@return the configured devices of a folder with files {@code <factory PID>-<instance>.cfg}:
   * file by device name}
   */
  static Map<String, String> configured(Path conf) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (DirectoryStream<Path> drivers = Files.newDirectoryStream(conf, "ib.driver.*-*.cfg")) {
      for (Path file : drivers) {
        Properties keys = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
          keys.load(reader);
        } catch (NoSuchFileException e) {
          continue; // the file was deleted meanwhile
        } catch (IllegalArgumentException e) {
          keys.clear(); // a wrong escape, which fileinstall reports
        }
        String fileName = file.getFileName().toString();
        String instance =
            fileName.substring(fileName.indexOf('-') + 1, fileName.length() - ".cfg".length());
        files.put(keys.getProperty("name", instance).strip(), fileName);
      }
    }
    return files;
  }
}

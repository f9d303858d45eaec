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
 * once.
 */
final class DeviceWait {
  /**
   * Finds slots of plugged devices. The device's own service is registered before the core has
   * added it.
   */
  private static final String PLUGGED =
      "(&(objectClass=ib.core.spi.DeviceSlot)(ib.device.plugged=true))";

  private static final String DEVICE_NAME = "ib.device.name";

  /** Finds registered devices, also those that the core is still probing or adding clients to. */
  private static final String ARRIVING =
      "(&(objectClass=ib.core.verbs.IbDevice)(" + DEVICE_NAME + "=*))";

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
    context.addServiceListener(listener, PLUGGED);
    try {
      long begin = System.nanoTime();
      removePresent(missing);
      while (!missing.isEmpty() && goesOn(missing, System.nanoTime() - begin, timeout.toNanos())) {
        long left = timeout.toNanos() - (System.nanoTime() - begin);
        if (news.tryAcquire(left > 0 ? left : LOOK_NS, TimeUnit.NANOSECONDS)) {
          news.drainPermits();
        }
        removePresent(missing);
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

  private void removePresent(Map<String, String> missing) throws InvalidSyntaxException {
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

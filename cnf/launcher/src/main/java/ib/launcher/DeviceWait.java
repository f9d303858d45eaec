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
 * Waits until every device that {@code conf/} asks for is there, so that a script can use them at
 * once.
 */
final class DeviceWait {
  /** Of a slot, not of the device: that one is in the registry before the midlayer has it. */
  private static final String PLUGGED =
      "(&(objectClass=ib.core.spi.DeviceSlot)(ib.device.plugged=true))";

  private static final String DEVICE_NAME = "ib.device.name";

  /** A device that the midlayer is trying, or clients are told of: its slot is not plugged yet. */
  private static final String ARRIVING =
      "(&(objectClass=ib.core.verbs.IbDevice)(" + DEVICE_NAME + "=*))";

  /** One that is being tried is waited for this many times longer, then it is stuck. */
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
   * @param timeout how long at most for devices of which nothing is to be seen
   * @return what is still missing then: the configuration file by the name of its device
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

  /** The device names that a folder of {@code <factory PID>-<instance>.cfg} asks for. */
  static Map<String, String> configured(Path conf) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (DirectoryStream<Path> drivers = Files.newDirectoryStream(conf, "ib.driver.*-*.cfg")) {
      for (Path file : drivers) {
        Properties keys = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
          keys.load(reader);
        } catch (NoSuchFileException e) {
          continue; // it has gone again
        } catch (IllegalArgumentException e) {
          keys.clear(); // a bad escape, which whoever reads the file in earnest reports
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

package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Hashtable;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.felix.framework.FrameworkFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceFactory;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.launch.Framework;

@DisplayName("issue 2, section 1: exec waits for the devices that are configured")
class DeviceWaitTest {
  @TempDir private Path conf;

  @Test
  @DisplayName("the key name, else the instance of the file name; other files ask for nothing")
  void configured() throws IOException {
    write("ib.driver.soft-soft0.cfg", "# a comment\nname = fast \n");
    write("ib.driver.soft-soft1.cfg", "ports = 1\n");
    write("ib.driver.rxe-a-b.cfg", "");
    write("ib.driver.soft.cfg", "name = singleton\n");
    write("ib.core.cfg", "");
    write("ib.driver.soft-soft2.cfg.bak", "");
    assertEquals(
        Map.of(
            "fast", "ib.driver.soft-soft0.cfg",
            "soft1", "ib.driver.soft-soft1.cfg",
            "a-b", "ib.driver.rxe-a-b.cfg"),
        DeviceWait.configured(conf));
  }

  @Test
  @DisplayName(
      "B17: a wrong escape prints no stack: the device is expected by the name of its file")
  void badEscape() throws IOException {
    write("ib.driver.soft-soft7.cfg", "name = x\\uZZZZ\n");
    assertEquals(Map.of("soft7", "ib.driver.soft-soft7.cfg"), DeviceWait.configured(conf));
  }

  @Test
  @DisplayName(
      "A10: the wait goes on while the core probes the device, and ends when it is plugged")
  void a10Probe(@TempDir Path storage) throws Exception {
    write("ib.driver.soft-slow0.cfg", "");
    Framework framework = framework(storage);
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      BundleContext context = framework.getBundleContext();
      ServiceRegistration<?> device = register(context, "ib.core.verbs.IbDevice", "slow0", false);
      Future<Map<String, String>> missing =
          threads.submit(() -> new DeviceWait(context, conf).await(Duration.ofMillis(100)));
      // far beyond the time-out: whoever does not wait for the probe has given up by now
      assertThrows(TimeoutException.class, () -> missing.get(500, TimeUnit.MILLISECONDS));
      register(context, "ib.core.spi.DeviceSlot", "slow0", true);
      assertEquals(Map.of(), missing.get(5, TimeUnit.MINUTES));
      device.unregister();
    } finally {
      framework.stop();
      framework.waitForStop(30_000);
    }
  }

  @Test
  @DisplayName("A10: the wait ends when the device is not registered, or no longer")
  void a10Refused(@TempDir Path storage) throws Exception {
    write("ib.driver.soft-gone0.cfg", "");
    Map<String, String> gone = Map.of("gone0", "ib.driver.soft-gone0.cfg");
    Framework framework = framework(storage);
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      BundleContext context = framework.getBundleContext();
      assertEquals(gone, new DeviceWait(context, conf).await(Duration.ofMillis(1)));
      ServiceRegistration<?> device = register(context, "ib.core.verbs.IbDevice", "gone0", false);
      Future<Map<String, String>> missing =
          threads.submit(() -> new DeviceWait(context, conf).await(Duration.ofMillis(100)));
      device.unregister();
      assertEquals(gone, missing.get(10, TimeUnit.MINUTES));
    } finally {
      framework.stop();
      framework.waitForStop(30_000);
    }
  }

  private Future<Map<String, String>> awaited(ExecutorService threads, BundleContext context) {
    return threads.submit(() -> new DeviceWait(context, conf).await(Duration.ofMinutes(2)));
  }

  @Test
  @DisplayName(
      "issue 17: devices of the host: the driver says which, and each of them is waited for;"
          + " none where the host has none")
  void ofTheHost(@TempDir Path storage) throws Exception {
    write("ib.driver.verbs.cfg", "devices = *\n");
    Framework framework = framework(storage);
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      BundleContext context = framework.getBundleContext();
      assertEquals(
          Map.of("of the host", "ib.driver.verbs.cfg"),
          new DeviceWait(context, conf).await(Duration.ofMillis(1)),
          "the driver has said nothing");
      ServiceRegistration<?> driver =
          context.registerService("driver", new Nobody(), new Hashtable<>());
      Future<Map<String, String>> missing = awaited(threads, context);
      wants(driver, "mlx5_0", "mlx5_1");
      assertThrows(TimeoutException.class, () -> missing.get(200, TimeUnit.MILLISECONDS));
      register(context, "ib.core.spi.DeviceSlot", "mlx5_0", true);
      assertThrows(TimeoutException.class, () -> missing.get(200, TimeUnit.MILLISECONDS));
      wants(driver, "mlx5_0"); // the kernel has taken the other away
      assertEquals(Map.of(), missing.get(5, TimeUnit.MINUTES));
      wants(driver);
      assertEquals(Map.of(), awaited(threads, context).get(10, TimeUnit.MINUTES));
      wants(driver, "mlx5_9");
      assertEquals(
          Map.of("mlx5_9", "ib.driver.verbs.cfg"),
          new DeviceWait(context, conf).await(Duration.ofMillis(1)));
    } finally {
      framework.stop();
      framework.waitForStop(30_000);
    }
  }

  private static void wants(ServiceRegistration<?> driver, String... names) {
    Hashtable<String, Object> properties = new Hashtable<>();
    properties.put("ib.devices.wanted", names);
    driver.setProperties(properties);
  }

  private static Framework framework(Path storage) throws Exception {
    Map<String, String> config =
        Map.of(
            Constants.FRAMEWORK_STORAGE, storage.toString(), "felix.service.urlhandlers", "false");
    Framework framework = new FrameworkFactory().newFramework(config);
    framework.start();
    return framework;
  }

  private static ServiceRegistration<?> register(
      BundleContext context, String type, String name, boolean plugged) {
    Hashtable<String, Object> properties = new Hashtable<>();
    properties.put("ib.device.name", name);
    properties.put("ib.device.plugged", plugged);
    return context.registerService(type, new Nobody(), properties);
  }

  /** The launcher knows services by their names only. */
  private static final class Nobody implements ServiceFactory<Object> {
    @Override
    public Object getService(Bundle bundle, ServiceRegistration<Object> registration) {
      return this;
    }

    @Override
    public void ungetService(
        Bundle bundle, ServiceRegistration<Object> registration, Object service) {}
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(conf.resolve(name), text);
  }
}

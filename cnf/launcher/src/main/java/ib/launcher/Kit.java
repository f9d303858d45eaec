package ib.launcher;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.jar.JarFile;
import java.util.zip.ZipException;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceListener;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.osgi.framework.wiring.BundleWiring;

/**
 * The command {@code ib kit}: starts a framework with the midlayer and one driver, and runs the
 * compatibility suite against two of the driver's devices. The suite is no bundle; its classes are
 * loaded from the folder {@code kit/} and see the midlayer's bundle.
 */
final class Kit {
  private static final Duration TIMEOUT = Duration.ofSeconds(Long.getLong("ib.exec.wait.s", 10));
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int DEVICES = 2;
  private static final String CORE = "ib.core";
  private static final String DEVICE = "ib.core.verbs.IbDevice";
  private static final String SLOT = "ib.core.spi.DeviceSlot";

  private final Path home;
  private final PrintStream err;

  Kit(Path home, PrintStream err) {
    this.home = home;
    this.err = err;
  }

  /** A mistake of the user, with the remedy, in one sentence. */
  private static final class Mistake extends Exception {
    private static final long serialVersionUID = 1;

    Mistake(String sentence) {
      super(sentence);
    }
  }

  int run(List<String> arguments) {
    KitLine line = KitLine.of(arguments);
    if (line == null) {
      KitLine.USAGE.forEach(err::println);
      return USAGE;
    }
    try {
      for (Path jar : line.jars()) {
        requireBundle(jar);
      }
      return judge(line);
    } catch (Mistake e) {
      err.println("ib: " + e.getMessage());
    } catch (IOException
        | BundleException
        | InvalidSyntaxException
        | ReflectiveOperationException e) {
      err.println("ib: " + Reason.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return FAILED;
  }

  private static void requireBundle(Path jar) throws IOException, Mistake {
    if (!Files.isRegularFile(jar)) {
      throw new Mistake(jar + ": no such file");
    }
    try (JarFile file = new JarFile(jar.toFile())) {
      if (file.getManifest() == null
          || file.getManifest().getMainAttributes().getValue(Constants.BUNDLE_SYMBOLICNAME)
              == null) {
        throw new Mistake(
            jar
                + " is no bundle: build it with bnd, which writes Bundle-SymbolicName and what else"
                + " belongs into its manifest (samples/driver shows how)");
      }
    } catch (ZipException e) {
      throw new Mistake(jar + " is no jar file: name the jar of a driver's bundle");
    }
  }

  private int judge(KitLine line)
      throws IOException,
          BundleException,
          InvalidSyntaxException,
          InterruptedException,
          ReflectiveOperationException,
          Mistake {
    if (System.getProperty("ib.check") == null) {
      System.setProperty("ib.check", "true"); // the midlayer judges, too
    }
    Path conf = Files.createTempDirectory("ib-kit-");
    try {
      for (Path file : line.configurations()) {
        Files.copy(file, conf.resolve(file.getFileName()));
      }
      BundleContext context = Runtime.start(home, List.of(conf), false, err).context();
      Bundle driver = install(context, line);
      return judge(context, driver, line);
    } finally {
      delete(conf);
    }
  }

  private static Bundle install(BundleContext context, KitLine line)
      throws BundleException, Mistake {
    List<Bundle> bundles = new ArrayList<>();
    for (Path jar : line.jars()) {
      Bundle bundle = context.installBundle(jar.toUri().toString());
      bundle.adapt(BundleStartLevel.class).setStartLevel(RunDescriptor.HOT);
      bundles.add(bundle);
    }
    for (Bundle bundle : bundles.reversed()) { // the driver last, when what it needs is there
      try {
        bundle.start();
      } catch (BundleException e) {
        if (e.getType() != BundleException.RESOLVE_ERROR) {
          throw e;
        }
        throw new Mistake(
            "%s does not resolve: %s; name the jar of a bundle that offers it, too, after %s"
                .formatted(
                    bundle.getSymbolicName(), missing(e), line.jars().getFirst().getFileName()));
      }
    }
    return bundles.getFirst();
  }

  private static String missing(BundleException e) {
    String text = Reason.of(e).split(" Unresolved requirements", 2)[0];
    return text.substring(Math.max(0, text.lastIndexOf("missing requirement")))
        .replaceAll(" \\[\\d+]\\(R [\\d.]+\\)", ""); // numbers of the framework's own
  }

  private int judge(BundleContext context, Bundle driver, KitLine line)
      throws InvalidSyntaxException,
          InterruptedException,
          IOException,
          ReflectiveOperationException,
          Mistake {
    List<Object> devices = devices(context, driver);
    if (devices.size() < DEVICES) {
      throw new Mistake(
          ("%s has %d IbDevice services after %d s and the suite needs %d that reach each other:"
                  + " name a file PID-NAME.cfg for each device")
              .formatted(driver.getSymbolicName(), devices.size(), TIMEOUT.toSeconds(), DEVICES));
    }
    try (PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
        URLClassLoader loader = new URLClassLoader(suite(), coreLoader(context))) {
      @SuppressWarnings("unchecked")
      ToIntFunction<Map<String, Object>> judge =
          (ToIntFunction<Map<String, Object>>)
              loader.loadClass("ib.kit.Judge").getDeclaredConstructor().newInstance();
      ServiceReference<?> core =
          context.getServiceReferences("ib.core.client.IbCore", Activator.LOCAL_SERVICES)[0];
      int status =
          judge.applyAsInt(
              Map.of(
                  "core", context.getService(core),
                  "devices", devices.subList(0, DEVICES),
                  "slots", services(context, driver, SLOT),
                  "cases", line.cases(),
                  "driver", driver.getSymbolicName() + " " + driver.getVersion(),
                  "report", line.report(),
                  "out", out));
      out.println(line.report());
      return status;
    }
  }

  private static ClassLoader coreLoader(BundleContext context) {
    return Arrays.stream(context.getBundles())
        .filter(b -> CORE.equals(b.getSymbolicName()))
        .map(b -> b.adapt(BundleWiring.class).getClassLoader())
        .findFirst()
        .orElseThrow();
  }

  private URL[] suite() throws IOException {
    List<URL> jars = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(home.resolve("kit"), "*.jar")) {
      for (Path jar : files) {
        jars.add(jar.toUri().toURL());
      }
    }
    return jars.toArray(URL[]::new);
  }

  /** Waits until the driver has registered devices enough; {@return those that there are} */
  private static List<Object> devices(BundleContext context, Bundle driver)
      throws InvalidSyntaxException, InterruptedException {
    Semaphore news = new Semaphore(0);
    ServiceListener listener = event -> news.release();
    context.addServiceListener(
        listener, "(&(objectClass=" + DEVICE + ")" + Activator.LOCAL_SERVICES + ")");
    try {
      long end = System.nanoTime() + TIMEOUT.toNanos();
      List<Object> devices = services(context, driver, DEVICE);
      while (devices.size() < DEVICES
          && news.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        devices = services(context, driver, DEVICE);
      }
      return devices;
    } finally {
      context.removeServiceListener(listener);
    }
  }

  /** {@return the driver's services of a type, in the order of their devices' names} */
  private static List<Object> services(BundleContext context, Bundle driver, String type)
      throws InvalidSyntaxException {
    ServiceReference<?>[] all = context.getAllServiceReferences(type, Activator.LOCAL_SERVICES);
    List<Object> services = new ArrayList<>();
    Arrays.stream(all == null ? new ServiceReference<?>[0] : all)
        .filter(r -> driver.equals(r.getBundle()))
        .sorted(Comparator.comparing(r -> String.valueOf(r.getProperty("ib.device.name"))))
        .map(context::getService)
        .forEach(services::add);
    return services;
  }

  private static void delete(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}

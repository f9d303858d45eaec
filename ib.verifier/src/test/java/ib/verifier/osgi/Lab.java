package ib.verifier.osgi;

import ib.core.client.Violation;
import ib.core.spi.ContractReports;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.apache.felix.framework.FrameworkFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.launch.Framework;

/** A framework with the verifier, and with a midlayer that keeps what is reported to it. */
final class Lab implements ContractReports, AutoCloseable {
  private static final Path CLASSES = Path.of("target/classes");
  private static final Path BUNDLES = Path.of("target/test-classes");
  private static final String PACKAGES =
      "ib.core.verbs;version=1.0.0,ib.core.client;version=1.0.0,ib.core.spi;version=1.0.0,"
          + "org.slf4j;version=2.0.20";

  private final Framework framework;
  private final List<Violation> violations = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Boolean> callback = ThreadLocal.withInitial(() -> false);

  Lab(Path storage) throws Exception {
    framework =
        new FrameworkFactory()
            .newFramework(
                Map.of(
                    Constants.FRAMEWORK_STORAGE,
                    storage.toString(),
                    Constants.FRAMEWORK_STORAGE_CLEAN,
                    "onFirstInit",
                    Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA,
                    PACKAGES));
    framework.start();
    context().registerService(ContractReports.class, this, null);
  }

  BundleContext context() {
    return framework.getBundleContext();
  }

  /** Installs and starts the bundle under test, as it is built. */
  Bundle startVerifier() throws Exception {
    try (InputStream manifest = Files.newInputStream(CLASSES.resolve("META-INF/MANIFEST.MF"))) {
      Bundle bundle =
          context()
              .installBundle("verifier", jar(new Manifest(manifest), CLASSES, "", "", new byte[0]));
      bundle.start();
      return bundle;
    }
  }

  /** Installs and starts a bundle that holds the canaries, one of which it offers. */
  Bundle start(Class<?> subject) throws Exception {
    return start(subject.getName(), new byte[0]);
  }

  /** As {@link #start(Class)}, with a class of its own unless that is empty. */
  Bundle start(String subject, byte[] own) throws Exception {
    String simple = subject.substring(subject.lastIndexOf('.') + 1);
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "canary." + simple.substring(simple.lastIndexOf('$') + 1));
    main.putValue("Bundle-Activator", "ib.verifier.bundles.Starter");
    main.putValue(
        "Import-Package", "ib.core.client,ib.core.spi,ib.core.verbs,org.osgi.framework,org.slf4j");
    main.putValue("Subject", subject);
    String entry = own.length == 0 ? "" : subject.replace('.', '/') + ".class";
    InputStream jar = jar(manifest, BUNDLES, "ib/verifier/bundles/", entry, own);
    Bundle bundle = context().installBundle(subject, jar);
    bundle.start();
    return bundle;
  }

  /** {@return what a bundle offers} */
  Runnable subject(Bundle bundle) {
    ServiceReference<?> reference = bundle.getRegisteredServices()[0];
    return (Runnable) context().getService(reference);
  }

  /** {@return what the command {@code ib:verifier} prints} */
  String totals(Bundle verifier) throws ReflectiveOperationException {
    for (ServiceReference<?> reference : verifier.getRegisteredServices()) {
      if ("ib".equals(reference.getProperty("osgi.command.scope"))) {
        Object command = context().getService(reference);
        return (String) command.getClass().getMethod("verifier").invoke(command);
      }
    }
    throw new AssertionError("no command");
  }

  /** Runs something as the midlayer runs a callback. */
  void callback(Runnable body) {
    callback.set(true);
    try {
      body.run();
    } finally {
      callback.remove();
    }
  }

  List<Violation> violations() {
    return violations;
  }

  @Override
  public boolean inAtomicSection() {
    return callback.get();
  }

  @Override
  public void report(Violation violation) {
    violations.add(violation);
  }

  private static InputStream jar(
      Manifest manifest, Path root, String folder, String entry, byte[] own) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest);
        Stream<Path> files = Files.walk(root.resolve(folder))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = root.relativize(file).toString();
        if (!name.startsWith("META-INF")) {
          jar.putNextEntry(new ZipEntry(name));
          Files.copy(file, jar);
          jar.closeEntry();
        }
      }
      if (!entry.isEmpty()) {
        jar.putNextEntry(new ZipEntry(entry));
        jar.write(own);
        jar.closeEntry();
      }
    }
    return new ByteArrayInputStream(bytes.toByteArray());
  }

  @Override
  public void close() throws BundleException {
    framework.stop();
    try {
      framework.waitForStop(TimeUnit.SECONDS.toMillis(30));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

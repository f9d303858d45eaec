package ib.core.internal.osgi;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.apache.felix.framework.FrameworkFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkEvent;

/** An empty Felix, and bundles without content in whose name services can be registered. */
final class Framework {
  private final org.osgi.framework.launch.Framework felix;

  Framework(Path storage) throws BundleException {
    felix =
        new FrameworkFactory()
            .newFramework(
                new HashMap<>(
                    Map.of(
                        Constants.FRAMEWORK_STORAGE,
                        storage.toString(),
                        "felix.service.urlhandlers",
                        "false",
                        "felix.log.level",
                        "0")));
    felix.start();
  }

  /** The context of the framework's own bundle, in which the core under test lives. */
  BundleContext context() {
    return felix.getBundleContext();
  }

  /** A started bundle. */
  Bundle bundle(String name) throws BundleException, IOException {
    return bundle(name, Map.of());
  }

  /** A started bundle with headers of its own. */
  Bundle bundle(String name, Map<String, String> headers) throws BundleException, IOException {
    Bundle bundle =
        context().installBundle("test:" + name, new ByteArrayInputStream(jar(name, headers)));
    bundle.start();
    return bundle;
  }

  /** A bundle without content, as a file. */
  static byte[] jar(String name, Map<String, String> headers) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
    main.putValue(Constants.BUNDLE_SYMBOLICNAME, name);
    headers.forEach(main::putValue);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new JarOutputStream(bytes, manifest).close();
    return bytes.toByteArray();
  }

  /** Stops everything. */
  void close() throws BundleException, InterruptedException {
    felix.stop();
    FrameworkEvent end = felix.waitForStop(30_000);
    if (end.getType() != FrameworkEvent.STOPPED) {
      throw new IllegalStateException("the framework does not stop: " + end.getType());
    }
  }
}

package ib.itests.hotplug;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;

/**
 * Makes bundles of the protocols in {@code ib.itests.ulp}, each with a copy of the classes of its
 * own.
 */
final class UlpBundle {
  private static final List<String> CLASSES =
      List.of(
          "UlpActivator",
          "RecordingUlp",
          "LeakingUlp",
          "FailingUlp",
          "TrafficUlp",
          "Traffic",
          "ComponentUlp");
  private static final String COMPONENT = "OSGI-INF/ulp.xml";

  private UlpBundle() {}

  /** Installs and starts a protocol; {@code after} may be empty. */
  static Bundle start(BundleContext context, String name, String kind, String after)
      throws BundleException {
    Bundle bundle = install(context, name, kind, after);
    bundle.start();
    return bundle;
  }

  static Bundle install(BundleContext context, String name, String kind, String after)
      throws BundleException {
    return context.installBundle("ulp:" + name, jar(name, kind, after));
  }

  /** Installs and starts a protocol whose client is a component of the SCR's. */
  static Bundle startComponent(BundleContext context, String name, String after, boolean immediate)
      throws BundleException {
    Manifest manifest = manifest(name);
    manifest.getMainAttributes().putValue("Service-Component", COMPONENT);
    String xml =
        """
        <scr:component xmlns:scr="http://www.osgi.org/xmlns/scr/v1.3.0" name="%s"
            immediate="%s" activate="activate" deactivate="deactivate">
          <implementation class="ib.itests.ulp.ComponentUlp"/>
          <property name="ulp.name" value="%s"/>
          <property name="ib.client.after" value="%s"/>
          <service><provide interface="ib.core.client.IbClient"/></service>
        </scr:component>
        """
            .formatted(name, immediate, name, after);
    Bundle bundle = context.installBundle("ulp:" + name, jar(manifest, xml));
    bundle.start();
    return bundle;
  }

  static InputStream jar(String name, String kind, String after) {
    Manifest manifest = manifest(name);
    Attributes main = manifest.getMainAttributes();
    main.putValue("Bundle-Activator", "ib.itests.ulp.UlpActivator");
    main.putValue("Ulp-Name", name);
    main.putValue("Ulp-Kind", kind);
    if (!after.isEmpty()) {
      main.putValue("Ulp-After", after);
    }
    return jar(manifest, null);
  }

  private static Manifest manifest(String name) {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", "ulp." + name);
    main.putValue("Bundle-Version", "1.0.0");
    main.putValue("Import-Package", "org.osgi.framework,ib.core.client,ib.core.verbs");
    return manifest;
  }

  private static InputStream jar(Manifest manifest, @Nullable String component) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest)) {
      for (String simple : CLASSES) {
        String entry = "ib/itests/ulp/" + simple + ".class";
        URL source = UlpBundle.class.getResource("/" + entry);
        if (source == null) {
          throw new IllegalStateException(entry + " is not in the probe");
        }
        jar.putNextEntry(new ZipEntry(entry));
        try (InputStream in = source.openStream()) {
          in.transferTo(jar);
        }
        jar.closeEntry();
      }
      if (component != null) {
        jar.putNextEntry(new ZipEntry(COMPONENT));
        jar.write(component.getBytes(StandardCharsets.UTF_8));
        jar.closeEntry();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ByteArrayInputStream(bytes.toByteArray());
  }
}

package ib.itests;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** A copy of the distribution, for tests that change it. */
public final class Folder {
  private final Path home;

  private Folder(Path home) {
    this.home = home;
  }

  /** Copies the distribution. */
  public static Folder copy(Path to) throws IOException {
    try (Stream<Path> files = Files.walk(Distro.HOME)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path within = Distro.HOME.relativize(file);
        if (within.startsWith("run")) {
          continue; // the state of a service that ran here
        }
        Path target = to.resolve(within.toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target);
      }
    }
    Files.createDirectories(to.resolve("conf"));
    return new Folder(to);
  }

  /** {@return where it is} */
  public Path home() {
    return home;
  }

  /** Puts a bundle without code into {@code deploy/}, whole at once. */
  void deploy(String symbolicName, String version, Map<String, String> headers) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Bundle-ManifestVersion", "2");
    main.putValue("Bundle-SymbolicName", symbolicName);
    main.putValue("Bundle-Version", version);
    headers.forEach(main::putValue);
    Path whole = home.resolve(symbolicName + ".jar");
    try (OutputStream file = Files.newOutputStream(whole)) {
      new JarOutputStream(file, manifest).close();
    }
    Files.move(whole, jar(symbolicName), StandardCopyOption.REPLACE_EXISTING);
  }

  /** Puts a bundle into {@code deploy/}, whole at once. */
  public void deploy(Path jar) throws IOException {
    Path name = jar.getFileName();
    Path whole = Files.copy(jar, home.resolve(name));
    Files.move(whole, home.resolve("deploy").resolve(name), StandardCopyOption.REPLACE_EXISTING);
  }

  void undeploy(String symbolicName) throws IOException {
    Files.delete(jar(symbolicName));
  }

  private Path jar(String symbolicName) {
    return home.resolve("deploy").resolve(symbolicName + ".jar");
  }

  /** Writes a file of {@code conf/}, whole at once. */
  public void configure(String file, String text) throws IOException {
    Path whole = Files.writeString(home.resolve(file), text);
    Files.move(whole, home.resolve("conf").resolve(file), StandardCopyOption.REPLACE_EXISTING);
  }

  /** Removes a file of {@code conf/}. */
  public void deconfigure(String file) throws IOException {
    Files.delete(home.resolve("conf").resolve(file));
  }
}

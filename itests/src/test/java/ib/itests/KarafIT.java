package ib.itests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * U18: the features of ib in a Karaf as it is downloaded, on this JDK. The shell, the SSH server
 * and the EventAdmin of Karaf 4.4.8 do not start on a JDK without a security manager, so they are
 * left out; the page about Karaf says so.
 */
public class KarafIT {
  private static final String VERSION = "0.1.0-SNAPSHOT";
  private static final List<String> BUNDLES =
      List.of("ib.core", "ib.cm", "ib.health", "ib.driver.soft");
  private static final Pattern FEATURE =
      Pattern.compile("mvn:ib/([a-z.]+)/" + Pattern.quote(VERSION));

  private static final Pattern ENGINE = Pattern.compile("\"ib-(soft\\d)-engine\"");

  private static final Path UNPACKED = Path.of("target/karaf/apache-karaf-minimal-4.4.8");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private Path home;
  private Path repository;

  @Before
  public void copy() throws IOException {
    home = folder.getRoot().toPath().resolve("karaf");
    repository = home.resolve("repository");
    try (Stream<Path> files = Files.walk(UNPACKED)) {
      for (Path file : files.toList()) {
        Path to = home.resolve(UNPACKED.relativize(file).toString());
        Files.copy(file, to, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  private void install(String artifact, Path file, String suffix) throws IOException {
    Path folder = repository.resolve("ib").resolve(artifact).resolve(VERSION);
    Files.createDirectories(folder);
    Path to = folder.resolve(artifact + "-" + VERSION + suffix);
    Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
  }

  /** The steps that the page about Karaf asks for. */
  private void configure() throws IOException {
    Path root = Path.of("..").toAbsolutePath().normalize();
    for (String bundle : BUNDLES) {
      Path target = root.resolve(bundle).resolve("target");
      install(bundle, target.resolve(bundle + "-" + VERSION + ".jar"), ".jar");
    }
    install("ib.karaf", root.resolve("cnf/karaf/target/features.xml"), "-features.xml");
    edit("etc/jre.properties", "(?m)^jre-25 = .*$", "jre-25 = \\${jre-9}, jdk.jfr");
    edit(
        "etc/org.apache.karaf.features.cfg",
        "(?s)featuresBoot = .*?\n\n",
        "featuresBoot = framework, feature, log, config, ib\n\n");
    edit(
        "etc/org.apache.karaf.features.cfg",
        "featuresRepositories = ",
        "featuresRepositories = mvn:ib/ib.karaf/" + VERSION + "/xml/features, ");
    String cache = Path.of(System.getProperty("ib.maven.repository")).toUri().toString();
    String properties = "etc/custom.properties";
    Files.writeString(
        home.resolve(properties),
        Files.readString(home.resolve(properties))
            + "\nds.lock.timeout.milliseconds = 600000\n"
            + "org.apache.felix.eventadmin.Timeout = 0\n");
    edit(
        "etc/org.ops4j.pax.url.mvn.cfg",
        "org.ops4j.pax.url.mvn.repositories=\\s*",
        "org.ops4j.pax.url.mvn.localRepository=%s\n".formatted(repository)
            + "org.ops4j.pax.url.mvn.repositories=%s@id=cache, ".formatted(cache));
    for (String device : List.of("soft0", "soft1")) {
      String file = "ib.driver.soft-" + device + ".cfg";
      Files.copy(Distro.HOME.resolve("conf").resolve(file), home.resolve("etc").resolve(file));
    }
  }

  private void edit(String file, String pattern, String with) throws IOException {
    Path path = home.resolve(file);
    String text = Files.readString(path);
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertTrue(file + " has no " + pattern, found.find());
    Files.writeString(path, found.replaceFirst(with));
  }

  @Test
  public void findingU18TheFeaturesNameEachBundleOfTheDistribution() throws IOException {
    String features = Files.readString(Path.of("../cnf/karaf/target/features.xml"));
    Set<String> named =
        FEATURE
            .matcher(features)
            .results()
            .map(m -> m.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> run =
        Distro.descriptor().bundles().stream()
            .map(b -> b.symbolicName())
            .filter(b -> b.startsWith("ib.") && !b.equals("ib.launcher"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(run, named);
  }

  @Test
  public void findingU18KarafRunsDevicesAndUnplugsThem() throws Exception {
    configure();
    ProcessBuilder builder = new ProcessBuilder(home.resolve("bin/karaf").toString(), "server");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder
        .environment()
        .put("JAVA_OPTS", "-Xmx512m"); // without it the script asks for a security manager
    Path output = home.resolve("output.txt");
    Process karaf = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      awaitDevices(karaf, Set.of("soft0", "soft1"));
      Files.delete(home.resolve("etc/ib.driver.soft-soft1.cfg"));
      awaitDevices(karaf, Set.of("soft0"));
    } finally {
      karaf.descendants().forEach(ProcessHandle::destroy);
      karaf.toHandle().destroy();
      if (!karaf.waitFor(Await.HANG_S, TimeUnit.SECONDS)) {
        karaf.descendants().forEach(ProcessHandle::destroyForcibly);
        karaf.destroyForcibly();
      }
    }
    String log = Files.readString(home.resolve("data/log/karaf.log"));
    assertTrue(log, log.lines().noneMatch(l -> l.matches(".*\\| (ERROR|WARN ) \\|.* ib\\..*")));
    assertTrue(log, log.lines().noneMatch(l -> l.contains("| ERROR |")));
  }

  private void awaitDevices(Process karaf, Set<String> wanted) throws Exception {
    long start = System.nanoTime();
    Set<String> devices = Set.of();
    while (!devices.equals(wanted)) {
      assertTrue(
          "devices " + devices + ", not " + wanted + "; see " + home.resolve("data/log/karaf.log"),
          karaf.isAlive() && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(Await.HANG_S));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
      devices = devices(karaf);
    }
  }

  /** {@return the devices whose engines run in Karaf; none while it starts} */
  private static Set<String> devices(Process karaf) throws Exception {
    ProcessHandle java =
        Stream.concat(Stream.of(karaf.toHandle()), karaf.descendants())
            .filter(p -> p.info().command().orElse("").endsWith("/java"))
            .findFirst()
            .orElse(null);
    if (java == null) {
      return Set.of();
    }
    String jcmd = System.getProperty("java.home") + "/bin/jcmd";
    List<String> threads = List.of(jcmd, String.valueOf(java.pid()), "Thread.print");
    return ENGINE
        .matcher(Program.run(threads, "", Map.of()).out())
        .results()
        .map(m -> m.group(1))
        .collect(Collectors.toSet());
  }
}

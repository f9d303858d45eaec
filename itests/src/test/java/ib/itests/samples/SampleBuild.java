package ib.itests.samples;

import static org.junit.Assert.assertTrue;

import ib.itests.Await;
import ib.itests.Program;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs Maven on a copy of a sample, with a local repository of its own that holds the artifacts of
 * ib as {@code mvn install} leaves them. Everything else comes from the local repository of the
 * running build, which is read as if it were a remote one, and failing that from the network.
 */
public final class SampleBuild {
  private static final String SEPARATOR = File.separator;
  private static final String VERSION = "0.1.0-SNAPSHOT";
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path FOLDER = Path.of("target/samples").toAbsolutePath();
  private static final Path REPOSITORY = FOLDER.resolve("repository");
  private static final Path SETTINGS = FOLDER.resolve("settings.xml");

  /** The folders of what a sample may depend on. */
  private static final List<String> BUNDLES =
      List.of(
          "ib.core",
          "ib.cm",
          "ib.kit",
          "ib.engine",
          "ib.driver.base",
          "ib.driver.soft",
          "ib.driver.rxe");

  private SampleBuild() {}

  /** Installs the artifacts; what an earlier run installed is replaced. */
  static void install() throws IOException {
    install("ib", ROOT.resolve("pom.xml"), "pom");
    install("ib.bom", ROOT.resolve("bom/pom.xml"), "pom");
    for (String bundle : BUNDLES) {
      install(bundle, ROOT.resolve(bundle).resolve("pom.xml"), "pom");
      String jar = bundle + "-" + VERSION + ".jar";
      install(bundle, ROOT.resolve(bundle).resolve("target").resolve(jar), "jar");
    }
    Files.writeString(SETTINGS, settings(System.getProperty("ib.maven.repository")));
  }

  private static void install(String artifact, Path file, String type) throws IOException {
    Path folder = REPOSITORY.resolve("ib").resolve(artifact).resolve(VERSION);
    Files.createDirectories(folder);
    Path to = folder.resolve(artifact + "-" + VERSION + "." + type);
    Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String settings(String repository) {
    String of =
        """
        <id>cache</id><url>%s</url>
        <releases><checksumPolicy>ignore</checksumPolicy></releases><snapshots><enabled>false</enabled></snapshots>
        """
            .formatted(Path.of(repository).toUri());
    return """
        <settings>
          <profiles>
            <profile>
              <id>cache</id>
              <repositories><repository>%s</repository></repositories>
              <pluginRepositories><pluginRepository>%s</pluginRepository></pluginRepositories>
            </profile>
          </profiles>
          <activeProfiles><activeProfile>cache</activeProfile></activeProfiles>
        </settings>
        """
        .formatted(of, of);
  }

  /**
   * Copies a sample and runs the command of its README on the copy.
   *
   * @param sample the name of its folder
   * @param command as it stands in the README, a line that begins with {@code mvn}
   * @return the copy
   */
  static Path run(String sample, String command) throws IOException, InterruptedException {
    Path from = ROOT.resolve("samples").resolve(sample);
    assertTrue(command, Files.readAllLines(from.resolve("README.md")).contains(command));
    Path copy = FOLDER.resolve(sample);
    delete(copy);
    copy(from, copy);
    build(copy, command);
    return copy;
  }

  /**
   * {@return the bundle of a sample: the one that {@link #run} has built, unless a source is newer}
   */
  public static Path jar(String sample) throws IOException, InterruptedException {
    Path copy = FOLDER.resolve(sample);
    Path jar = copy.resolve("target").resolve(sample + "-1.jar");
    Path from = ROOT.resolve("samples").resolve(sample);
    if (!Files.exists(jar) || isNewer(from, jar)) {
      install();
      delete(copy);
      copy(from, copy);
      build(copy, "mvn -B package -DskipTests");
    }
    return jar;
  }

  private static boolean isNewer(Path folder, Path than) throws IOException {
    FileTime time = Files.getLastModifiedTime(than);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (Files.getLastModifiedTime(file).compareTo(time) > 0 && isSource(folder, file)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isSource(Path folder, Path file) {
    String relative = SEPARATOR + folder.relativize(file);
    return !relative.contains(SEPARATOR + "target" + SEPARATOR);
  }

  /** Runs a command, a line that begins with {@code mvn}, on a folder. */
  static void build(Path folder, String command) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of(command.split(" ")));
    line.set(0, System.getProperty("ib.maven.home") + "/bin/mvn");
    line.addAll(List.of("-ntp", "-s", SETTINGS.toString(), "-f", folder.toString()));
    line.add("-Dmaven.repo.local=" + REPOSITORY);
    Map<String, String> jdk = Map.of("JAVA_HOME", System.getProperty("java.home"));
    Program run = Program.run(line, "", jdk, Await.HANG_S);
    assertTrue(folder + ": " + run.out() + run.err(), run.status() == 0);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (isSource(from, file)) {
          Path target = to.resolve(from.relativize(file));
          Files.createDirectories(target.getParent());
          Files.copy(file, target);
        }
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.toList().reversed()) {
          Files.delete(file);
        }
      }
    }
  }
}

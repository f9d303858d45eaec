package ib.itests;

import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.CoreOptions.frameworkProperty;
import static org.ops4j.pax.exam.CoreOptions.frameworkStartLevel;
import static org.ops4j.pax.exam.CoreOptions.junitBundles;
import static org.ops4j.pax.exam.CoreOptions.systemPackages;

import ib.launcher.RunDescriptor;
import ib.launcher.RunDescriptor.RunBundle;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.ops4j.pax.exam.Option;

/**
 * The run descriptor as pax-exam options: the bundles, start levels and framework properties of the
 * distribution, from the jars on the test class path. No URL handler, no network.
 */
public final class Distro {
  /** The distribution folder, as built. */
  public static final Path HOME = Path.of("../cnf/target/ib").toAbsolutePath().normalize();

  /** For a run that needs its devices: on a busy machine they come after the usual 10 s. */
  public static final String PATIENT = "-Dib.exec.wait.s=600";

  /** The environment of a runtime whose bundles the verifier checks. */
  public static final Map<String, String> WOVEN = Map.of("IB_OPTS", "-Dib.verify=true " + PATIENT);

  private static final Path DESCRIPTOR = Path.of("../cnf/ib.bndrun");
  private static final String PACKAGES = "org.osgi.framework.system.packages.extra";

  /** What deals with the outside: the terminal and the watched folders. */
  private static final Set<String> OUTSIDE =
      Set.of("org.apache.felix.gogo.jline", "org.apache.felix.fileinstall");

  private static final int LAST_LEVEL = 50;

  private Distro() {}

  /** {@return the run descriptor} */
  public static RunDescriptor descriptor() {
    try {
      return RunDescriptor.read(DESCRIPTOR);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** {@return the midlayer, the tools and what they need, no driver} */
  public static Option[] core() {
    return options(bundle -> bundle.startLevel() != RunDescriptor.HOT);
  }

  /** {@return the whole distribution with its drivers; devices come by configuration} */
  public static Option[] withDriver() {
    return options(bundle -> true);
  }

  /**
   * Leaves a bundle out.
   *
   * @param symbolicName of the bundle
   * @return {@link #withDriver} without it
   */
  public static Option[] withDriverWithout(String symbolicName) {
    return options(bundle -> !bundle.symbolicName().equals(symbolicName));
  }

  private static Option[] options(Predicate<RunBundle> wanted) {
    RunDescriptor descriptor = descriptor();
    List<Option> options = new ArrayList<>();
    for (Map.Entry<String, String> property : descriptor.frameworkProperties().entrySet()) {
      options.add(
          property.getKey().equals(PACKAGES)
              ? systemPackages(property.getValue().split(","))
              : frameworkProperty(property.getKey()).value(property.getValue()));
    }
    descriptor.bundles().stream()
        .filter(wanted.and(bundle -> !OUTSIDE.contains(bundle.symbolicName())))
        .forEach(b -> options.add(bundle(location(b.symbolicName())).startLevel(b.startLevel())));
    options.add(junitBundles());
    options.add(frameworkStartLevel(LAST_LEVEL));
    return options.toArray(Option[]::new);
  }

  /** A bundle of the test class path, as a jar or, in an IDE, as a classes folder. */
  private static String location(String symbolicName) {
    Pattern jar = Pattern.compile(Pattern.quote(symbolicName) + "-\\d.*\\.jar");
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(
            entry ->
                jar.matcher(new File(entry).getName()).matches()
                    || entry.replace('\\', '/').endsWith("/" + symbolicName + "/target/classes"))
        .map(entry -> "reference:" + new File(entry).toURI())
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException(symbolicName + " is not on the test class path"));
  }
}

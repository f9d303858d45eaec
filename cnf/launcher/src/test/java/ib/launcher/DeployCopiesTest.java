package ib.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.apache.felix.fileinstall.ArtifactInstaller;
import org.apache.felix.framework.FrameworkFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;

/** Fileinstall itself, in Felix, with a folder in which files come, go, change and are renamed. */
@DisplayName("A10: what lies in deploy/ is what runs, whatever came and went beside it")
@Tag("finding")
@Timeout(3600)
class DeployCopiesTest {
  private static final int STEPS = 200;
  private static final int LIMIT_MINUTES = 10;
  private static final String MARK = "Test-Content";
  private static final List<String> FILES = List.of("a.jar", "a-copy.jar", "b.jar");

  /** Name, version and content of the bundles; two are builds of one version. */
  private static final List<String> BUNDLES =
      List.of("x 1.0.0 first", "x 1.0.0 second", "x 2.0.0 third", "y 1.0.0 fourth");

  @TempDir private Path folder;
  private Path deploy;
  private Path made;
  private Framework framework;
  private int looks;

  @BeforeEach
  void start() throws Exception {
    deploy = Files.createDirectory(folder.resolve("deploy"));
    made = Files.createDirectory(folder.resolve("made"));
    for (String bundle : BUNDLES) {
      jar(bundle);
    }
    framework =
        new FrameworkFactory()
            .newFramework(
                Map.of(
                    Constants.FRAMEWORK_STORAGE,
                    folder.resolve("cache").toString(),
                    "felix.fileinstall.dir",
                    deploy.toString(),
                    "felix.fileinstall.tmpdir",
                    folder.resolve("tmp").toString(),
                    "felix.fileinstall.poll",
                    "20",
                    "felix.fileinstall.log.level",
                    "0"));
    framework.init();
    String location = location(ArtifactInstaller.class);
    Bundle fileinstall = framework.getBundleContext().installBundle(location);
    framework.start();
    DeployCopies copies = new DeployCopies(framework.getBundleContext());
    framework.getBundleContext().addBundleListener(copies);
    fileinstall.start();
    Class<?> type = fileinstall.loadClass(ArtifactInstaller.class.getName());
    Object service = bridged(type, copies);
    framework
        .getBundleContext()
        .registerService(type.getName(), service, new Hashtable<String, Object>());
  }

  /** The test's class loader has other types than the framework's bundle. */
  private static Object bridged(Class<?> type, DeployCopies copies) {
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, args) ->
            switch (method.getName()) {
              case "canHandle" -> copies.canHandle((File) args[0]);
              case "hashCode" -> System.identityHashCode(proxy);
              case "equals" -> System.identityHashCode(proxy) == System.identityHashCode(args[0]);
              case "toString" -> "bridged";
              default -> {
                ArtifactInstaller.class
                    .getMethod(method.getName(), File.class)
                    .invoke(copies, args);
                yield null;
              }
            });
  }

  private static String location(Class<?> of) throws Exception {
    return of.getProtectionDomain().getCodeSource().getLocation().toURI().toString();
  }

  @AfterEach
  void stop() throws Exception {
    framework.stop();
    framework.waitForStop(60_000);
  }

  private void jar(String bundle) throws IOException {
    String[] words = bundle.split(" ");
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
    main.putValue(Constants.BUNDLE_SYMBOLICNAME, words[0] + ";singleton:=false");
    main.putValue(Constants.BUNDLE_VERSION, words[1]);
    main.putValue(MARK, bundle);
    try (OutputStream out = Files.newOutputStream(made.resolve(bundle))) {
      new JarOutputStream(out, manifest).close();
    }
  }

  /** Copied beside and moved in, as a careful person does: no half a file is seen. */
  private void put(String bundle, String file) throws IOException {
    Path beside = Files.copy(made.resolve(bundle), folder.resolve("beside"));
    Files.setLastModifiedTime(beside, FileTime.fromMillis(System.currentTimeMillis()));
    Files.move(beside, deploy.resolve(file), StandardCopyOption.REPLACE_EXISTING);
  }

  private static String key(String bundle) {
    return bundle.substring(0, bundle.lastIndexOf(' '));
  }

  private static String content(Path file) throws IOException {
    try (JarFile jar = new JarFile(file.toFile())) {
      return jar.getManifest().getMainAttributes().getValue(MARK);
    }
  }

  /** What runs, by its file: the content that the bundle had when it was installed or updated. */
  private Map<String, String> running() {
    return Arrays.stream(framework.getBundleContext().getBundles())
        .filter(b -> b.getState() == Bundle.ACTIVE && b.getHeaders().get(MARK) != null)
        .collect(
            Collectors.toMap(
                b -> b.getLocation().replaceAll(".*/", ""),
                b -> b.getHeaders().get(MARK),
                (one, other) -> one + " and " + other,
                TreeMap::new));
  }

  /** Nothing if the folder and the framework agree. */
  private String difference() {
    try {
      Map<String, String> lying = new TreeMap<>();
      for (String file : FILES) {
        if (Files.exists(deploy.resolve(file))) {
          lying.put(file, content(deploy.resolve(file)));
        }
      }
      Map<String, String> running = running();
      running.remove("z.jar");
      Set<String> keys = new TreeSet<>();
      lying.values().forEach(bundle -> keys.add(key(bundle)));
      List<String> runningKeys =
          running.values().stream().map(DeployCopiesTest::key).sorted().toList();
      boolean same =
          runningKeys.equals(List.copyOf(keys))
              && running.entrySet().stream()
                  .allMatch(e -> e.getValue().equals(lying.get(e.getKey())));
      return same ? "" : "in the folder " + lying + ", running " + running;
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Waits for the folder and the framework to agree, and to stay so when all was looked at. */
  private void agrees(Supplier<String> after) throws Exception {
    seen(after);
    until(this::difference, after);
    seen(after);
    until(this::difference, after);
  }

  /** Waits for fileinstall to have looked at all that has been done so far: it takes a news. */
  private void seen(Supplier<String> after) throws Exception {
    String news = "z 1.0." + ++looks + " news";
    jar(news);
    put(news, "z.jar");
    until(() -> news.equals(running().get("z.jar")) ? "" : "not seen: " + news, after);
  }

  private static void until(Supplier<String> difference, Supplier<String> after) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(LIMIT_MINUTES);
    String left = difference.get();
    while (!left.isEmpty() && System.nanoTime() < end) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      left = difference.get();
    }
    assertEquals("", left, after);
  }

  @Test
  @DisplayName("a copy of a driver's jar comes and goes: the driver runs, and from its own file")
  void upgradeCopy() throws Exception {
    put("x 1.0.0 first", "a.jar");
    agrees(() -> "the jar");
    put("x 1.0.0 first", "a-copy.jar");
    agrees(() -> "a copy");
    Files.delete(deploy.resolve("a-copy.jar"));
    agrees(() -> "the copy is gone");
    put("x 1.0.0 first", "a-copy.jar");
    agrees(() -> "a copy again");
    Files.delete(deploy.resolve("a.jar"));
    agrees(() -> "the original is gone: the copy has its turn");
    assertEquals(Set.of("a-copy.jar", "z.jar"), running().keySet());
  }

  @Test
  @DisplayName("1.0 and 1.0.0 are one version")
  void versions() throws Exception {
    jar("x 1.0 short");
    put("x 1.0.0 first", "b.jar");
    agrees(() -> "the jar");
    put("x 1.0 short", "a.jar");
    seen(() -> "the same version, shorter");
    assertEquals(Set.of("b.jar", "z.jar"), running().keySet());
    Files.delete(deploy.resolve("b.jar"));
    agrees(() -> "the first is gone: the second has its turn");
  }

  /**
   * Whether a file would get a bundle that another file has, instead of the one it has. Fileinstall
   * cannot update to a bundle that is there already, and goes on with the one before: the first
   * file has to go first.
   */
  private boolean isRefused(String bundle, String file) throws IOException {
    return changes(bundle, file)
        && FILES.stream()
            .filter(other -> !other.equals(file) && Files.exists(deploy.resolve(other)))
            .anyMatch(other -> !changes(bundle, other));
  }

  private boolean changes(String bundle, String file) {
    try {
      Path path = deploy.resolve(file);
      return Files.exists(path) && !key(content(path)).equals(key(bundle));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  @DisplayName("200 random steps: files come, are overwritten, renamed, removed")
  void randomSteps(long seed) throws Exception {
    Random random = new Random(seed);
    StringBuilder steps = new StringBuilder("seed " + seed);
    for (int i = 0; i < STEPS; ) {
      String file = FILES.get(random.nextInt(FILES.size()));
      String other = FILES.get(random.nextInt(FILES.size()));
      boolean there = Files.exists(deploy.resolve(file));
      int what = random.nextInt(there ? 4 : 1);
      String bundle = BUNDLES.get(random.nextInt(BUNDLES.size()));
      boolean settle = random.nextInt(3) > 0;
      if (what <= 1 && !isRefused(bundle, file)) {
        settle |= changes(bundle, file);
        put(bundle, file);
        steps.append("; ").append(bundle).append(" to ").append(file);
      } else if (what == 2) {
        Files.delete(deploy.resolve(file));
        settle =
            true; // another bundle at the same name within one look would be an overwritten file
        steps.append("; removed ").append(file);
      } else if (what == 3 && !changes(content(deploy.resolve(file)), other)) {
        Files.move(
            deploy.resolve(file), deploy.resolve(other), StandardCopyOption.REPLACE_EXISTING);
        settle = true;
        steps.append("; ").append(file).append(" renamed ").append(other);
      } else {
        continue;
      }
      i++;
      if (settle) {
        agrees(steps::toString);
      }
    }
    agrees(steps::toString);
  }
}

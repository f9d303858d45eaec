package ib.launcher;

import ib.launcher.RunDescriptor.RunBundle;
import ib.launcher.service.RunFolder;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.SynchronousBundleListener;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import org.osgi.framework.startlevel.BundleStartLevel;

/**
 * One framework with the descriptor's bundles and a {@link Storage}, which a shutdown hook removes.
 */
final class Runtime {
  private static final long STOP_TIMEOUT_MS = TimeUnit.SECONDS.toMillis(30);
  private static final String LAST_LEVEL = "50";

  private final Path home;
  private final Framework framework;

  private Runtime(Path home, Framework framework) {
    this.home = home;
    this.framework = framework;
  }

  /**
   * Starts the framework and its bundles, and the shell on the terminal; fileinstall installs the
   * hot bundles from {@code deploy/} afterwards.
   *
   * @param web the page, or null for none
   * @param first takes the framework before a bundle is started, the shell's for one
   */
  static Runtime shell(Path home, @Nullable Web web, PrintStream err, Consumer<BundleContext> first)
      throws IOException, BundleException {
    Runtime runtime = prepare(home, watched(home), Use.of(true).with(web), err);
    first.accept(runtime.context());
    runtime.framework.start();
    return runtime;
  }

  /** As the other, without a shell on the terminal. */
  static Runtime start(Path home, PrintStream err) throws IOException, BundleException {
    return start(home, watched(home), Use.of(false), err);
  }

  /**
   * As the other, in the folder of a service, which is released when the framework has stopped.
   *
   * @param claimed the folder's lock
   * @param web the page, or null for none
   */
  static Runtime serve(
      Path home, RunFolder folder, FileChannel claimed, @Nullable Web web, PrintStream err)
      throws IOException, BundleException {
    Map<String, String> run = Map.of(RunFolder.PROPERTY, folder.path().toString());
    Use use = new Use(false, folder.path(), run, List.of(), () -> folder.release(claimed));
    return start(home, watched(home), use.with(web), err);
  }

  private static List<Path> watched(Path home) {
    return List.of(home.resolve("conf"), home.resolve("deploy"));
  }

  /**
   * The purpose of a framework.
   *
   * @param interactive whether the shell uses the terminal
   * @param temporary where its {@link Storage} is
   * @param properties of the framework, besides the descriptor's
   * @param web the bundles of the page; empty for none
   * @param afterwards runs when the framework has stopped
   */
  private record Use(
      boolean interactive,
      Path temporary,
      Map<String, String> properties,
      List<String> web,
      Closeable afterwards) {
    static Use of(boolean interactive) {
      Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
      return new Use(interactive, temporary, Map.of(), List.of(), () -> {});
    }

    /** {@return the same purpose, and a page} */
    Use with(@Nullable Web page) {
      if (page == null) {
        return this;
      }
      Map<String, String> all = new HashMap<>(properties);
      all.putAll(page.properties());
      return new Use(interactive, temporary, all, page.bundles(), afterwards);
    }
  }

  /** As the other, with folders of the caller's choice for configurations and hot bundles. */
  static Runtime start(Path home, List<Path> watched, boolean interactive, PrintStream err)
      throws IOException, BundleException {
    return start(home, watched, Use.of(interactive), err);
  }

  private static Runtime start(Path home, List<Path> watched, Use use, PrintStream err)
      throws IOException, BundleException {
    Runtime runtime = prepare(home, watched, use, err);
    new Ready(() -> true, List::of, err).register(runtime.context());
    runtime.framework.start();
    return runtime;
  }

  private static Runtime prepare(Path home, List<Path> watched, Use use, PrintStream err)
      throws IOException, BundleException {
    RunDescriptor descriptor = RunDescriptor.read(home.resolve("etc/ib.bndrun"));
    for (Path folder : watched) {
      Files.createDirectories(folder);
    }
    Storage storage = Storage.open(use.temporary(), err);
    Framework framework =
        factory().newFramework(properties(home, watched, descriptor, storage, use));
    PrintStream stray = strayOutput(err);
    java.lang.Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> end(framework, storage, use.afterwards(), err), "ib stop"));
    framework.init();
    SynchronousBundleListener stopping =
        event -> {
          if (event.getBundle().equals(framework) && event.getType() == BundleEvent.STOPPING) {
            // from now on bundles only print that they are stopped
            stray.close();
          }
        };
    framework.getBundleContext().addBundleListener(stopping);
    Runtime runtime = new Runtime(home, framework);
    if (Verify.wanted()) {
      runtime.install("verifier", new RunBundle(Verify.BUNDLE, Verify.START_LEVEL));
    }
    for (String bundle : use.web()) {
      runtime.install(Web.FOLDER, new RunBundle(bundle, Web.START_LEVEL));
    }
    runtime.install(descriptor.bundles());
    return runtime;
  }

  /**
   * Redirects {@link System#out} to standard error. Standard output carries only the output of
   * shell commands, which use their own stream.
   */
  private static PrintStream strayOutput(PrintStream err) {
    PrintStream stray =
        new PrintStream(
            new FilterOutputStream(err) {
              @Override
              public void close() {
                err.flush();
              }
            },
            true);
    System.setOut(stray);
    return stray;
  }

  private static FrameworkFactory factory() {
    return ServiceLoader.load(FrameworkFactory.class)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no OSGi framework in lib/"));
  }

  private static Map<String, String> properties(
      Path home, List<Path> watched, RunDescriptor descriptor, Storage storage, Use use) {
    Map<String, String> properties = new HashMap<>(descriptor.frameworkProperties());
    properties.putAll(use.properties());
    properties.put(Constants.FRAMEWORK_STORAGE, storage.cache().toString());
    properties.put(
        Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT);
    properties.put(Constants.FRAMEWORK_BEGINNING_STARTLEVEL, LAST_LEVEL);
    // no console log: the OSGi log has the same entries, which LogBridge forwards
    properties.put("felix.log.level", "0");
    properties.put(
        "felix.fileinstall.dir",
        watched.stream().map(Path::toString).collect(Collectors.joining(",")));
    properties.put("felix.fileinstall.tmpdir", storage.temporary().toString());
    properties.put("felix.fileinstall.poll", "500");
    properties.put("felix.fileinstall.noInitialDelay", "true");
    properties.put("felix.fileinstall.enableConfigSave", "false");
    properties.put("felix.fileinstall.start.level", Integer.toString(RunDescriptor.HOT));
    properties.put("felix.fileinstall.log.level", "2");
    properties.put("gosh.home", home.toString());
    // jline unpacks its native code into this folder
    System.setProperty("jline.tmpdir", storage.temporary().toString());
    if (!use.interactive()) {
      properties.put("gosh.args", "--nointeractive --nohistory");
      // otherwise jline takes the terminal, and Ctrl-C with it
      System.setProperty("org.jline.terminal.provider", "dumb");
    }
    return properties;
  }

  private void install(List<RunBundle> bundles) throws BundleException, IOException {
    for (RunBundle bundle : bundles) {
      if (bundle.startLevel() != RunDescriptor.HOT) {
        install("bundles", bundle);
      }
    }
  }

  private void install(String folder, RunBundle bundle) throws BundleException, IOException {
    Bundle installed = context().installBundle(location(folder, bundle.symbolicName()));
    installed.adapt(BundleStartLevel.class).setStartLevel(bundle.startLevel());
    installed.start();
  }

  BundleContext context() {
    return framework.getBundleContext();
  }

  private String location(String folder, String name) throws IOException {
    Path jar = home.resolve(folder).resolve(name + ".jar");
    if (!Files.exists(jar)) {
      throw new IOException(jar + " is missing: the distribution is not complete, build it again");
    }
    // the framework copies the jar into its cache, so a build does not disturb a running framework
    return jar.toUri().toString();
  }

  void awaitStop() throws InterruptedException {
    framework.waitForStop(0);
  }

  private static void end(
      Framework framework, Storage storage, Closeable afterwards, PrintStream err) {
    try (afterwards;
        storage) {
      framework.stop();
      if (framework.waitForStop(STOP_TIMEOUT_MS).getType() == FrameworkEvent.WAIT_TIMEDOUT) {
        err.println("ib: the framework did not stop within " + STOP_TIMEOUT_MS / 1000 + " s");
      }
    } catch (BundleException | IOException e) {
      err.println("ib: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

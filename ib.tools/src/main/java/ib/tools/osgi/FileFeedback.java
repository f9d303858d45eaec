package ib.tools.osgi;

import ib.core.verbs.MaySleep;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of a jar in a watched folder that has not become a bundle, which the program that watches
 * the folder passes over in silence. A file is looked at when it has not changed for some seconds.
 * A jar that can be a bundle has a minute: on a busy machine the installations take their time.
 *
 * <p>One thread looks; only that thread uses the map.
 */
@Component(
    service = {},
    immediate = true)
public final class FileFeedback {
  private static final long PERIOD_S = 2;
  private static final int PATIENT_LOOKS = 30;
  private static final String FAILED = "its installation has failed, see the log above";
  private static final Logger LOG = LoggerFactory.getLogger("ib.deploy");

  private final BundleContext context;
  private final List<Path> folders;
  private final ScheduledExecutorService looks =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("ib-deploy").factory());
  private final Map<Path, Seen> seen = new HashMap<>();

  /** A jar that was not a bundle when it was last looked at. */
  private record Seen(long modifiedMs, int looks) {}

  /**
   * Called by DS.
   *
   * @param context of this bundle
   */
  @Activate
  public FileFeedback(BundleContext context) {
    this(context, new WatchedFolders(context).all().stream().map(File::toPath).toList());
    if (!folders.isEmpty()) {
      looks.scheduleWithFixedDelay(this::look, PERIOD_S, PERIOD_S, TimeUnit.SECONDS);
    }
  }

  /** Makes one that looks when {@link #look()} is called. */
  FileFeedback(BundleContext context, List<Path> folders) {
    this.context = context;
    this.folders = folders;
  }

  /** Called by DS. */
  @Deactivate
  @MaySleep
  public void deactivate() {
    looks.shutdownNow();
  }

  void look() {
    seen.keySet().removeIf(file -> !Files.exists(file));
    for (Path folder : folders) {
      try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.jar")) {
        for (Path jar : jars) {
          look(jar);
        }
      } catch (IOException e) {
        LOG.debug("{} cannot be read", folder, e);
      }
    }
  }

  private void look(Path jar) throws IOException {
    if (context.getBundle(WatchedFolders.location(jar.toFile())) != null) {
      seen.remove(jar);
      return;
    }
    long modified = Files.getLastModifiedTime(jar).toMillis();
    Seen before = seen.get(jar);
    if (before == null || before.modifiedMs != modified) {
      seen.put(jar, new Seen(modified, 1)); // perhaps it is being written, or installed
      return;
    }
    int looked = before.looks + 1;
    seen.put(jar, new Seen(modified, looked));
    if (looked == 2 && !isBundle(jar) || looked == PATIENT_LOOKS && isBundle(jar)) {
      LOG.warn("{} has not become a bundle: {}", jar.getFileName(), fault(jar));
    }
  }

  /** {@return whether a file can be a bundle, by its manifest} */
  static boolean isBundle(Path jar) {
    return fault(jar).equals(FAILED);
  }

  private static String fault(Path jar) {
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      if (manifest == null) {
        return "it has no manifest";
      }
      boolean bundle = manifest.getMainAttributes().getValue(Constants.BUNDLE_SYMBOLICNAME) != null;
      return bundle ? FAILED : "its manifest has no " + Constants.BUNDLE_SYMBOLICNAME;
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}

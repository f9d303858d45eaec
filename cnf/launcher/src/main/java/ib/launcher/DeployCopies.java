package ib.launcher;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.apache.felix.fileinstall.ArtifactInstaller;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.BundleListener;
import org.osgi.framework.Constants;
import org.osgi.framework.Version;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files in {@code deploy/} are what runs, whatever came and went beside them. Fileinstall takes
 * two files with the same bundle for one: it updates the bundle of the first to the second, and
 * removes the bundle with either. So the second waits here, and fileinstall does not see it as a
 * bundle until the first has gone.
 *
 * <p>Nothing is remembered but which files wait: whose turn it is follows from the folder and from
 * the bundles that are installed. Fileinstall's threads and the framework's call in; calls read the
 * manifests of the folder's jars.
 */
final class DeployCopies implements ArtifactInstaller, BundleListener {
  private static final Logger LOG = LoggerFactory.getLogger("ib.deploy");

  /** The longest step of a file system's times. */
  private static final long CLOCK_STEP_MS = 2_000;

  private final BundleContext context;
  private final Set<File> waiting = new ConcurrentSkipListSet<>();

  DeployCopies(BundleContext context) {
    this.context = context;
  }

  /** {@return whether the file waits for another one with the same bundle} */
  @Override
  public boolean canHandle(File file) {
    return inPlaceOf(file) != null;
  }

  /** {@return the file of the same folder whose bundle runs instead of this one's, or null} */
  private @Nullable File inPlaceOf(File file) {
    File[] jars = file.getName().endsWith(".jar") ? file.getParentFile().listFiles() : null;
    String bundle = jars == null || isInstalled(file) ? null : bundle(file);
    if (jars == null || bundle == null) {
      return null;
    }
    return Arrays.stream(jars)
        .filter(other -> other.getName().endsWith(".jar") && !other.equals(file))
        .filter(other -> isInstalled(other) || other.compareTo(file) < 0)
        .filter(other -> bundle.equals(bundle(other)))
        .findFirst()
        .orElse(null);
  }

  private boolean isInstalled(File file) {
    return context.getBundle(file.toURI().toString()) != null; // fileinstall's location
  }

  /** {@return name and version of the bundle in a file; null if there is none, or not yet} */
  private static @Nullable String bundle(File file) {
    try (JarFile jar = new JarFile(file)) {
      Manifest manifest = jar.getManifest();
      Attributes main = manifest == null ? new Attributes() : manifest.getMainAttributes();
      String name = main.getValue(Constants.BUNDLE_SYMBOLICNAME);
      return name == null
          ? null
          : name.split(";", 2)[0].strip()
              + " "
              + Version.parseVersion(main.getValue(Constants.BUNDLE_VERSION));
    } catch (IOException | IllegalArgumentException e) {
      return null; // being copied, gone, or with a version that is none: fileinstall says so
    }
  }

  @Override
  public void install(File file) {
    waiting.add(file);
    File other = inPlaceOf(file);
    if (other == null) {
      wake(file); // the other one went after fileinstall had asked, and before this one waited
    } else {
      String text = "{} waits: it is {}, which is there already as {}";
      LOG.warn(text, file.getName(), bundle(file), other.getName());
    }
  }

  @Override
  public void update(File file) {
    install(file);
  }

  /** The file has gone, or has its turn: then fileinstall has forgotten it, and looks anew. */
  @Override
  public void uninstall(File file) {
    waiting.remove(file);
    wake(file);
  }

  /** Whose bundle has gone or become another one: a file that waited for it has its turn. */
  @Override
  public void bundleChanged(BundleEvent event) {
    if ((event.getType() & (BundleEvent.UNINSTALLED | BundleEvent.UPDATED)) == 0) {
      return;
    }
    for (File file : waiting) {
      if (inPlaceOf(file) == null) {
        wake(file);
      }
    }
  }

  /** Has fileinstall look at a file again, which it does when the file's time has changed. */
  private static void wake(File file) {
    long time = Math.max(System.currentTimeMillis(), file.lastModified() + CLOCK_STEP_MS);
    if (file.exists() && !file.setLastModified(time) && file.exists()) {
      LOG.warn("{} can run now, and its time cannot be set: copy it anew", file);
    }
  }
}

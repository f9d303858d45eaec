package ib.tools.deploy;

import ib.core.verbs.MaySleep;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.BundleListener;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a line for each bundle that a watched folder has started, updated or removed, but for those
 * that were there when the runtime started: their first start is no news. Why a bundle does not
 * start is logged by the framework and by the program that watches the folder.
 */
@Component(
    service = {},
    immediate = true)
public final class BundleFeedback implements BundleListener {
  /** Framework property: the folders that fileinstall watches. */
  private static final String FOLDERS = "felix.fileinstall.dir";

  private static final Logger LOG = LoggerFactory.getLogger("ib.deploy");

  private final BundleContext context;
  private final List<String> folders;
  private final Set<String> shipped = ConcurrentHashMap.newKeySet(); // not started yet
  private final Set<Long> updated = ConcurrentHashMap.newKeySet();

  /**
   * Called by DS.
   *
   * @param context of this bundle
   */
  @Activate
  public BundleFeedback(BundleContext context) {
    this.context = context;
    List<File> watched = watched(context);
    this.folders = watched.stream().map(BundleFeedback::location).toList();
    for (File folder : watched) {
      File[] files = folder.listFiles();
      for (File file : files == null ? new File[0] : files) {
        shipped.add(location(file));
      }
    }
    context.addBundleListener(this);
  }

  /** {@return the folders that fileinstall watches} */
  static List<File> watched(BundleContext context) {
    String folders = context.getProperty(FOLDERS);
    return folders == null
        ? List.of()
        : Arrays.stream(folders.split(",")).map(f -> new File(f.strip())).toList();
  }

  /** {@return the location that fileinstall gives to the bundle of a file} */
  static String location(File file) {
    return file.toURI().toString();
  }

  /** {@return whether a jar of a watched folder can be a bundle and does not run (yet)} */
  static boolean isComing(BundleContext context) {
    for (File folder : watched(context)) {
      File[] jars = folder.listFiles((at, name) -> name.endsWith(".jar"));
      for (File jar : jars == null ? new File[0] : jars) {
        Bundle bundle = context.getBundle(location(jar));
        boolean here = bundle != null && bundle.getState() == Bundle.ACTIVE;
        if (!here && FileFeedback.isBundle(jar.toPath())) {
          return true;
        }
      }
    }
    return false;
  }

  /** Called by DS. */
  @Deactivate
  @MaySleep
  public void deactivate() {
    context.removeBundleListener(this);
  }

  @Override
  public void bundleChanged(BundleEvent event) {
    Bundle bundle = event.getBundle();
    if (folders.stream().noneMatch(bundle.getLocation()::startsWith)) {
      return;
    }
    switch (event.getType()) {
      case BundleEvent.UPDATED -> updated.add(bundle.getBundleId());
      case BundleEvent.STARTED -> {
        boolean news = !shipped.remove(bundle.getLocation());
        if (updated.remove(bundle.getBundleId())) {
          log(bundle, "is updated to");
        } else if (news) {
          log(bundle, "runs, version");
        }
      }
      case BundleEvent.UNINSTALLED -> {
        updated.remove(bundle.getBundleId());
        log(bundle, "is removed, it was version");
      }
      default -> {}
    }
  }

  private static void log(Bundle bundle, String what) {
    LOG.info("{} {} {}", bundle.getSymbolicName(), what, bundle.getVersion());
  }
}

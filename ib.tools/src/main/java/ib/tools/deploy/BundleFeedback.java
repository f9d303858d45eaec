package ib.tools.deploy;

import ib.core.verbs.MaySleep;
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
 * Logs a line for each bundle that a watched folder has started, updated or removed. Why a bundle
 * does not start is logged by the framework and by the program that watches the folder.
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
  private final Set<Long> updated = ConcurrentHashMap.newKeySet();

  /**
   * Called by DS.
   *
   * @param context of this bundle
   */
  @Activate
  public BundleFeedback(BundleContext context) {
    this.context = context;
    String watched = context.getProperty(FOLDERS);
    this.folders =
        watched == null
            ? List.of()
            : Arrays.stream(watched.split(",")).map(f -> "file:" + f.strip() + "/").toList();
    context.addBundleListener(this);
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
      case BundleEvent.STARTED ->
          log(bundle, updated.remove(bundle.getBundleId()) ? "is updated to" : "runs, version");
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

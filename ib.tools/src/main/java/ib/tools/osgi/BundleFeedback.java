package ib.tools.osgi;

import ib.core.verbs.MaySleep;
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
    WatchedFolders watched = new WatchedFolders(context);
    this.folders = watched.all().stream().map(WatchedFolders::location).toList();
    watched.files().map(WatchedFolders::location).forEach(shipped::add);
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

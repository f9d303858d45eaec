package ib.tools.osgi;

import ib.core.client.LocalServices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.cm.ConfigurationEvent;
import org.osgi.service.cm.ConfigurationListener;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of a configuration that nothing takes, some seconds after it came: its PID is misspelt, or
 * its bundle is not there. While a bundle of a watched folder is still to come, for a minute at
 * most, nothing is said: on a busy machine the installations take their time. A configuration is
 * taken by a component with that PID, or by a managed service or factory.
 */
@Component(service = ConfigurationListener.class, immediate = true)
public final class ConfigurationFeedback implements ConfigurationListener {
  private static final long WAIT_S = 5; // a bundle that comes with its configuration may be slower
  private static final int MAX_WAITS = 12;
  private static final Logger LOG = LoggerFactory.getLogger("ib.deploy");

  private final BundleContext context;
  private final WatchedFolders folders;
  private final ConfigurationPids pids;
  private final Executor later;
  private volatile boolean closed;

  /**
   * Called by DS.
   *
   * @param context of this bundle
   * @param components knows the PIDs of all components
   */
  @Activate
  public ConfigurationFeedback(
      BundleContext context,
      @Reference(target = LocalServices.ONLY) ServiceComponentRuntime components) {
    this(context, components, CompletableFuture.delayedExecutor(WAIT_S, TimeUnit.SECONDS));
  }

  /**
   * With another way to wait.
   *
   * @param later runs a check some seconds later
   */
  ConfigurationFeedback(BundleContext context, ServiceComponentRuntime components, Executor later) {
    this.context = context;
    this.folders = new WatchedFolders(context);
    this.pids = new ConfigurationPids(context, components);
    this.later = later;
  }

  /** Called by DS. */
  @Deactivate
  public void deactivate() {
    closed = true;
  }

  @Override
  public void configurationEvent(ConfigurationEvent event) {
    if (event.getType() != ConfigurationEvent.CM_UPDATED) {
      return;
    }
    String factory = event.getFactoryPid();
    String taken = factory == null ? event.getPid() : factory;
    ServiceReference<ConfigurationAdmin> admin = event.getReference();
    check(taken, () -> file(admin, event.getPid()), MAX_WAITS);
  }

  private void check(String pid, Supplier<String> file, int waits) {
    later.execute(
        () -> {
          Set<String> taken = closed ? Set.of(pid) : pids.taken();
          if (taken.contains(pid)) {
            return;
          }
          if (waits > 1 && folders.isBundleComing()) {
            check(pid, file, waits - 1);
          } else {
            LOG.warn("{}: {}", file.get(), ConfigurationPids.refusal(pid, taken));
          }
        });
  }

  /** {@return the file that a configuration comes from, or that none is known} */
  private String file(ServiceReference<ConfigurationAdmin> reference, String pid) {
    ConfigurationAdmin admin = context.getService(reference);
    try {
      Configuration[] found =
          admin == null ? null : admin.listConfigurations("(service.pid=" + pid + ")");
      Object file = found == null ? null : found[0].getProperties().get(ConfigurationPids.FILE);
      return file == null ? "no file" : String.valueOf(Path.of(file.toString()).getFileName());
    } catch (IOException | InvalidSyntaxException e) {
      return "no file (" + e.getMessage() + ")";
    } finally {
      context.ungetService(reference);
    }
  }
}

package ib.tools.osgi;

import ib.core.client.LocalServices;
import ib.health.Finding;
import ib.health.Finding.Verdict;
import ib.health.FindingSource;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.runtime.ServiceComponentRuntime;

/**
 * Finds for {@code ib:doctor} the jars of the watched folders that are no bundle of the runtime,
 * and the configurations that no bundle takes: their PID is misspelt or their driver is missing.
 */
@Component
public final class DeployFindings implements FindingSource {
  private final WatchedFolders folders;
  private final ConfigurationPids pids;
  private final ConfigurationAdmin configurations;

  /**
   * Called by DS.
   *
   * @param context of this bundle
   * @param components knows the PIDs of all components
   * @param configurations has the configurations of all bundles
   */
  @Activate
  public DeployFindings(
      BundleContext context,
      @Reference(target = LocalServices.ONLY) ServiceComponentRuntime components,
      @Reference(target = LocalServices.ONLY) ConfigurationAdmin configurations) {
    this.folders = new WatchedFolders(context);
    this.pids = new ConfigurationPids(context, components);
    this.configurations = configurations;
  }

  @Override
  public List<Finding> find() {
    List<Finding> all = new ArrayList<>();
    for (File jar : folders.idleJars().sorted().toList()) {
      String text = shortened(jar) + " does not run";
      all.add(new Finding("bundles", Verdict.WARN, text, "the log says why; or copy it anew"));
    }
    Set<String> taken = pids.taken();
    for (File file : folders.files().sorted().toList()) {
      for (Configuration each : read(file)) {
        String factory = each.getFactoryPid();
        String pid = factory == null ? each.getPid() : factory;
        if (!taken.contains(pid)) {
          String text = shortened(file) + ": " + ConfigurationPids.refusal(pid, taken);
          String instead = "the file's name; if it is right, the jar of its driver is missing";
          // a bundle of others may read its configuration without a word
          Verdict verdict = pid.startsWith("ib.") ? Verdict.FAIL : Verdict.WARN;
          all.add(new Finding("bundles", verdict, text, instead));
        }
      }
    }
    return all;
  }

  private static String shortened(File file) {
    return file.getParentFile().getName() + "/" + file.getName();
  }

  /** {@return the configurations that come from a file} */
  private Configuration[] read(File file) {
    String location = WatchedFolders.location(file).replaceAll("[\\\\*()]", "\\\\$0");
    try {
      Configuration[] found =
          configurations.listConfigurations("(" + ConfigurationPids.FILE + "=" + location + ")");
      return found == null ? new Configuration[0] : found;
    } catch (IOException | InvalidSyntaxException e) {
      throw new IllegalStateException("the configurations cannot be read: " + e.getMessage(), e);
    }
  }
}

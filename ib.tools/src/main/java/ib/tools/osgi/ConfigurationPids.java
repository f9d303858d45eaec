package ib.tools.osgi;

import ib.core.client.LocalServices;
import ib.tools.shell.Likeness;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.runtime.ServiceComponentRuntime;

/**
 * The PIDs whose configurations are taken: by a component, or by a managed service or factory.
 *
 * @param context of this bundle
 * @param components knows the PIDs of all components
 */
record ConfigurationPids(BundleContext context, ServiceComponentRuntime components) {
  /** Property of a configuration: the file that it comes from. */
  static final String FILE = "felix.fileinstall.filename";

  private static final String MANAGED =
      LocalServices.and(
          "(|(objectClass=org.osgi.service.cm.ManagedService)"
              + "(objectClass=org.osgi.service.cm.ManagedServiceFactory))");

  /** {@return the PIDs that are taken now} */
  Set<String> taken() {
    Set<String> pids = new TreeSet<>();
    components
        .getComponentDescriptionDTOs()
        .forEach(c -> pids.addAll(Arrays.asList(c.configurationPid)));
    try {
      ServiceReference<?>[] managed = context.getAllServiceReferences(null, MANAGED);
      for (ServiceReference<?> each : managed == null ? new ServiceReference<?>[0] : managed) {
        add(pids, each.getProperty(Constants.SERVICE_PID));
      }
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException(e); // the filter is a constant
    }
    return pids;
  }

  private static void add(Set<String> pids, @Nullable Object property) {
    switch (property) {
      case String one -> pids.add(one);
      case Object[] many -> Arrays.stream(many).map(Object::toString).forEach(pids::add);
      case Iterable<?> many -> many.forEach(pid -> pids.add(String.valueOf(pid)));
      case null, default -> {}
    }
  }

  /** {@return that a PID is not one of those that are taken, and which of them are like it} */
  static String refusal(String pid, Set<String> taken) {
    List<String> like = Likeness.find(pid, taken);
    String text = "no bundle takes the configuration " + pid;
    return like.isEmpty() ? text : text + "; did you mean " + String.join(" or ", like) + "?";
  }
}

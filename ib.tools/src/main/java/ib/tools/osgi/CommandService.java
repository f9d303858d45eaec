package ib.tools.osgi;

import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceRegistration;

/** The service by which the shell finds the commands of a component while it is active. */
public final class CommandService {
  private @Nullable ServiceRegistration<?> registered;

  /**
   * Registers commands of scope {@code ib}. DS calls when the component becomes active.
   *
   * @param context of this bundle
   * @param table runs the commands
   * @param names of the commands
   */
  public void open(BundleContext context, Object table, Collection<String> names) {
    Map<String, Object> found =
        Map.of("osgi.command.scope", "ib", "osgi.command.function", names.toArray(String[]::new));
    registered =
        context.registerService(
            table.getClass().getName(), table, FrameworkUtil.asDictionary(found));
  }

  /** Takes the commands away. DS calls when the component is no longer active. */
  public void close() {
    if (registered != null) {
      registered.unregister();
    }
  }
}

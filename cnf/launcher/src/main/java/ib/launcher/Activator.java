package ib.launcher;

import java.io.IOException;
import java.util.Hashtable;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.apache.felix.fileinstall.ArtifactInstaller;
import org.jspecify.annotations.Nullable;
import org.osgi.annotation.bundle.Header;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleWiring;
import org.osgi.service.log.LogReaderService;
import org.osgi.util.tracker.ServiceTracker;

/**
 * The launcher's part inside the framework: the log bridge, and {@link Exec} and {@link Service} as
 * services. Their types are those of the JDK, which the launcher's part outside of the framework
 * knows too.
 */
@Header(name = Constants.BUNDLE_ACTIVATOR, value = "${@class}")
public final class Activator implements BundleActivator {
  /** Matches what is no service of another runtime, as the filter of {@code ib.core} does. */
  static final String LOCAL_SERVICES = "(!(service.imported=*))";

  /** The filter that finds the service that runs commands. */
  static final String EXEC = "(&(ib.launcher=exec)" + LOCAL_SERVICES + ")";

  /** The filter that finds what opens the socket of a service. */
  static final String SERVICE = "(&(ib.launcher=service)" + LOCAL_SERVICES + ")";

  private static final String PACKAGES = PackageNamespace.PACKAGE_NAMESPACE;
  private static final String FILEINSTALL = "org.apache.felix.fileinstall";

  private static final String LOGS =
      "(&(objectClass=org.osgi.service.log.LogReaderService)" + LOCAL_SERVICES + ")";

  private @Nullable Service service;

  /** Called by the framework. */
  public Activator() {}

  @Override
  public void start(BundleContext context) throws InvalidSyntaxException {
    new LogTracker(context).open();
    Exec exec = new Exec(context);
    context.addBundleListener(exec);
    context.registerService(ToIntFunction.class, exec, named("exec"));
    new Head().register(context);
    Service made = new Service(context, exec);
    context.registerService(Consumer.class, made, named("service"));
    service = made;
    if (hasFileinstall(context)) {
      DeployCopies copies = new DeployCopies(context);
      context.addBundleListener(copies);
      context.registerService(ArtifactInstaller.class, copies, named("deploy"));
    }
  }

  /** {@return whether this bundle is wired to fileinstall, which not every runtime has} */
  private static boolean hasFileinstall(BundleContext context) {
    return context.getBundle().adapt(BundleWiring.class).getRequiredWires(PACKAGES).stream()
        .anyMatch(wire -> FILEINSTALL.equals(wire.getCapability().getAttributes().get(PACKAGES)));
  }

  private static Hashtable<String, Object> named(String name) {
    Hashtable<String, Object> properties = new Hashtable<>();
    properties.put("ib.launcher", name);
    return properties;
  }

  /** Closes the socket; the framework unregisters the services and the tracker's listener. */
  @Override
  public void stop(BundleContext context) throws IOException {
    if (service != null) {
      service.close();
    }
  }

  private static final class LogTracker extends ServiceTracker<LogReaderService, LogReaderService> {
    LogTracker(BundleContext context) throws InvalidSyntaxException {
      super(context, FrameworkUtil.createFilter(LOGS), null);
    }

    @Override
    public LogReaderService addingService(ServiceReference<LogReaderService> reference) {
      LogReaderService log = super.addingService(reference);
      log.addLogListener(new LogBridge());
      return log;
    }
  }
}

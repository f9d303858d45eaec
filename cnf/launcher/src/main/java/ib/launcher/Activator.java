package ib.launcher;

import java.util.Hashtable;
import java.util.function.ToIntFunction;
import org.osgi.annotation.bundle.Header;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.osgi.service.log.LogReaderService;
import org.osgi.util.tracker.ServiceTracker;

/**
 * The launcher's part inside the framework: the log bridge, and {@link Exec} as a service. The
 * service's type is a JDK type, which the launcher's part outside of the framework knows too.
 */
@Header(name = Constants.BUNDLE_ACTIVATOR, value = "${@class}")
public final class Activator implements BundleActivator {
  /** The filter that finds the service that runs commands. */
  static final String EXEC = "(ib.launcher=exec)";

  /** Called by the framework. */
  public Activator() {}

  @Override
  public void start(BundleContext context) {
    new LogTracker(context).open();
    Hashtable<String, Object> properties = new Hashtable<>();
    properties.put("ib.launcher", "exec");
    context.registerService(ToIntFunction.class, new Exec(context), properties);
  }

  @Override
  public void stop(BundleContext context) {
    // the framework unregisters the service and removes the tracker's listener
  }

  private static final class LogTracker extends ServiceTracker<LogReaderService, LogReaderService> {
    LogTracker(BundleContext context) {
      super(context, LogReaderService.class, null);
    }

    @Override
    public LogReaderService addingService(ServiceReference<LogReaderService> reference) {
      LogReaderService log = super.addingService(reference);
      log.addLogListener(new LogBridge());
      return log;
    }
  }
}

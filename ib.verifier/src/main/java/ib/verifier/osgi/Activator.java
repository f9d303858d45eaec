package ib.verifier.osgi;

import ib.core.client.LocalServices;
import ib.core.spi.ContractReports;
import ib.verifier.check.Verifier;
import ib.verifier.probe.Probe;
import ib.verifier.weave.BlockingRules;
import java.util.Hashtable;
import org.osgi.annotation.bundle.Header;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.hooks.weaving.WeavingHook;
import org.osgi.util.tracker.ServiceTracker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Weaves, while the bundle is active, each class that a bundle loads that uses the midlayer. */
@Header(name = Constants.BUNDLE_ACTIVATOR, value = "${@class}")
public final class Activator implements BundleActivator {
  private static final Logger LOG = LoggerFactory.getLogger("ib.verifier");

  /** Called by the framework. */
  public Activator() {}

  @Override
  public void start(BundleContext context) throws InvalidSyntaxException {
    BlockingRules rules = BlockingRules.standard();
    ServiceTracker<ContractReports, ContractReports> core =
        new ServiceTracker<>(
            context,
            FrameworkUtil.createFilter(LocalServices.of(ContractReports.class.getName())),
            null);
    core.open();
    Probe.watch(new Verifier(core::getService, rules));
    Hook hook = new Hook(rules, context.getBundle());
    context.registerService(WeavingHook.class, hook, null);
    Hashtable<String, Object> command = new Hashtable<>();
    command.put("osgi.command.scope", "ib");
    command.put("osgi.command.function", "verifier");
    context.registerService(Totals.class, new Totals(hook), command);
    LOG.info("drivers and protocols are checked; ib:violations -v shows what is found");
  }

  @Override
  public void stop(BundleContext context) {
    // the framework unregisters the hook and the tracker; woven classes stay, and do nothing more
    Probe.watch(null);
  }
}

package ib.verifier.osgi;

import ib.verifier.probe.Probe;
import ib.verifier.weave.BlockingRules;
import ib.verifier.weave.Weaver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.hooks.weaving.WeavingHook;
import org.osgi.framework.hooks.weaving.WovenClass;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleWire;
import org.osgi.framework.wiring.BundleWiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Weaves the classes of each bundle that imports a package of the midlayer, and those of the
 * midlayer itself that are loaded after the verifier has started. A class that cannot be woven is
 * loaded as it is, named in the log, and counted.
 */
final class Hook implements WeavingHook {
  private static final Logger LOG = LoggerFactory.getLogger("ib.verifier");

  private final BlockingRules rules;
  private final Bundle own;
  private final Map<BundleWiring, Weaver> weavers = new ConcurrentHashMap<>();
  private final AtomicLong read = new AtomicLong();
  private final AtomicLong woven = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong ns = new AtomicLong();

  Hook(BlockingRules rules, Bundle own) {
    this.rules = rules;
    this.own = own;
  }

  @Override
  public void weave(WovenClass type) {
    BundleWiring wiring = type.getBundleWiring();
    if (!concernsMidlayer(wiring)) {
      return;
    }
    long begun = System.nanoTime();
    try {
      Weaver weaver = weavers.get(wiring);
      if (weaver == null) {
        weavers.keySet().removeIf(w -> !w.isInUse());
        weaver = new Weaver(rules, wiring.getClassLoader(), wiring.getBundle().getSymbolicName());
        weavers.put(wiring, weaver);
      }
      weaver
          .weave(type.getBytes())
          .ifPresent(
              bytes -> {
                type.setBytes(bytes);
                type.getDynamicImports().add(Probe.class.getPackageName());
                woven.incrementAndGet();
              });
    } catch (RuntimeException | LinkageError e) {
      LOG.warn(
          "{} of {} is loaded without checks, because it cannot be woven ({} so far)",
          type.getClassName(),
          wiring.getBundle(),
          failed.incrementAndGet(),
          e);
    }
    ns.addAndGet(System.nanoTime() - begun);
    read.incrementAndGet();
  }

  /** Whether a bundle imports a package of the midlayer, or is the midlayer. */
  private boolean concernsMidlayer(BundleWiring wiring) {
    return !wiring.getBundle().equals(own)
        && Stream.concat(
                wiring.getCapabilities(PackageNamespace.PACKAGE_NAMESPACE).stream(),
                wiring.getRequiredWires(PackageNamespace.PACKAGE_NAMESPACE).stream()
                    .map(BundleWire::getCapability))
            .map(c -> c.getAttributes().get(PackageNamespace.PACKAGE_NAMESPACE))
            .anyMatch(p -> String.valueOf(p).startsWith("ib.core."));
  }

  /** {@return what was done so far: a line of numbers, a line that names the bundles} */
  String summary() {
    long ms = TimeUnit.NANOSECONDS.toMillis(ns.get());
    String bundles =
        weavers.keySet().stream()
            .filter(BundleWiring::isInUse)
            .map(w -> w.getBundle().getSymbolicName())
            .sorted()
            .collect(Collectors.joining(", "));
    return "%d classes read in %d ms, %d of them woven, %d could not be woven%nof %s"
        .formatted(read.get(), ms, woven.get(), failed.get(), bundles);
  }
}

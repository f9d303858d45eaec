package ib.itests.hotplug;

import ib.itests.Await;
import java.io.IOException;
import java.util.Arrays;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.wiring.FrameworkWiring;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;

/**
 * What the hot-plug tests do to a running framework. Names no class of ib.core, so a test that uses
 * this alone survives a refresh of ib.core.
 */
class Framework implements AutoCloseable {
  static final String SOFT = "ib.driver.soft";
  final BundleContext context;
  private final ConfigurationAdmin configurations;
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final ServiceRegistration<?> logService;

  Framework(BundleContext context, ConfigurationAdmin configurations) {
    this.context = context.getBundle(0).getBundleContext(); // outlives every refresh
    this.configurations = configurations;
    Consumer<String> sink = log::add;
    logService =
        context.registerService(
            Consumer.class, sink, new Hashtable<>(Map.of("ib.itests.log", Boolean.TRUE)));
  }

  @Override
  public void close() {
    logService.unregister();
  }

  List<String> log() {
    return List.copyOf(log);
  }

  /** {@return the lines so far, and forgets them} */
  List<String> take() {
    List<String> lines = List.copyOf(log);
    log.clear();
    return lines;
  }

  void configure(String device) throws IOException {
    Configuration c = configurations.getFactoryConfiguration(SOFT, device, "?");
    c.update(new Hashtable<>(Map.of("name", device)));
  }

  void deconfigure(String device) throws IOException {
    configurations.getFactoryConfiguration(SOFT, device, "?").delete();
  }

  Bundle bundle(String symbolicName) {
    return Arrays.stream(context.getBundles())
        .filter(b -> symbolicName.equals(b.getSymbolicName()))
        .findFirst()
        .orElseThrow(() -> new AssertionError(symbolicName + " is not installed"));
  }

  void refresh(Bundle... bundles) {
    context
        .getBundle(0)
        .adapt(FrameworkWiring.class)
        .refreshBundles(bundles.length == 0 ? null : List.of(bundles));
  }

  /** {@return the names of the devices whose services are there} */
  Set<String> deviceNames() {
    try {
      ServiceReference<?>[] all = context.getAllServiceReferences("ib.core.verbs.IbDevice", null);
      return all == null
          ? Set.of()
          : Arrays.stream(all)
              .map(r -> String.valueOf(r.getProperty("ib.device.name")))
              .collect(Collectors.toSet());
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until something holds; a hang ends with a dump of all threads. */
  static void await(String what, BooleanSupplier condition) {
    Await.until(what, condition, ThreadDump::take);
  }

  /** {@return names of live threads that the project owns} */
  static List<String> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(n -> n.startsWith("ib-") || n.startsWith("traffic-"))
        .sorted()
        .toList();
  }

  /** {@return used heap after collection, bytes} */
  static long heap() {
    java.lang.Runtime runtime = java.lang.Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}

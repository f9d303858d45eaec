package ib.core.internal.osgi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.wiring.BundleWire;
import org.osgi.framework.wiring.BundleWiring;

/**
 * The bundles that still use the classes of a bundle before its update. To them the services of the
 * updated bundle do not exist, and theirs not to it: drivers, clients, and commands, which vanish
 * from the shell (A15).
 */
final class Strangers {
  private Strangers() {}

  /**
   * Returns a warning for the person who has updated the bundle.
   *
   * @param updated the bundle, which has started again
   * @param all a context that sees all bundles
   * @return the bundles that are cut off and the command that helps; empty when none is
   */
  static Optional<String> told(Bundle updated, BundleContext all) {
    List<Bundle> strangers = new ArrayList<>();
    for (Bundle bundle : all.getBundles()) {
      BundleWiring wiring = bundle.adapt(BundleWiring.class);
      if (wiring != null && isStranger(wiring, updated)) {
        strangers.add(bundle);
      }
    }
    if (strangers.isEmpty()) {
      return Optional.empty();
    }
    String names =
        strangers.stream()
            .sorted(Comparator.comparing(Bundle::getBundleId))
            .map(Bundle::getSymbolicName)
            .collect(Collectors.joining(", "));
    return Optional.of(
        names
            + " still use the classes of "
            + updated.getSymbolicName()
            + " before its update: their devices, clients and commands are gone until you type"
            + " felix:refresh "
            + updated.getBundleId());
  }

  private static boolean isStranger(BundleWiring wiring, Bundle updated) {
    List<BundleWire> wires = wiring.getRequiredWires(null);
    if (wires == null) {
      return false; // the wiring has gone out of use meanwhile
    }
    for (BundleWire wire : wires) {
      BundleWiring provider = wire.getProviderWiring(); // null when that has gone out of use
      if (provider != null && updated.equals(provider.getBundle()) && !provider.isCurrent()) {
        return true;
      }
    }
    return false;
  }
}

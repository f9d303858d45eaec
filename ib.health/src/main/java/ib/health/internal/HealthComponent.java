package ib.health.internal;

import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import ib.core.spi.DeviceSlot;
import ib.health.Finding;
import ib.health.Health;
import ib.health.internal.Examination.BundleState;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The service {@link Health} of this framework. */
@Component
public final class HealthComponent implements Health {
  private static final String FOLDERS = "felix.fileinstall.dir";

  private final IbCore core;
  private final BundleContext context;

  @Reference(target = LocalServices.ONLY)
  private volatile List<DeviceSlot> slots = List.of();

  /**
   * Called by DS.
   *
   * @param core the midlayer
   * @param context of this bundle, which sees all bundles
   */
  @Activate
  public HealthComponent(
      @Reference(target = LocalServices.ONLY) IbCore core, BundleContext context) {
    this.core = core;
    this.context = context;
  }

  @Override
  public List<Finding> examine() {
    List<BundleState> bundles =
        Arrays.stream(context.getBundles()).map(HealthComponent::state).toList();
    List<String> idle = idle(context.getProperty(FOLDERS), at -> context.getBundle(at) != null);
    return new Examination(core, slots, bundles, idle).findings();
  }

  /** {@return the jars of the folders that fileinstall watches which are no bundle now} */
  static List<String> idle(@Nullable String folders, Predicate<String> isLocation) {
    return Arrays.stream(Objects.requireNonNullElse(folders, "").split(","))
        .map(folder -> new File(folder.strip()).listFiles((at, name) -> name.endsWith(".jar")))
        .flatMap(Stream::ofNullable)
        .flatMap(Arrays::stream)
        .filter(jar -> !isLocation.test(jar.toURI().toString())) // as fileinstall names it
        .map(File::getName)
        .sorted()
        .toList();
  }

  @Override
  public String writeMetrics() {
    return new Metrics(core).write();
  }

  private static BundleState state(Bundle bundle) {
    boolean fragment = bundle.getHeaders().get(Constants.FRAGMENT_HOST) != null;
    int state = bundle.getState();
    return new BundleState(
        String.valueOf(bundle.getSymbolicName()),
        bundle.getBundleId(),
        state != Bundle.INSTALLED,
        state != Bundle.RESOLVED || fragment);
  }
}

package ib.health.internal;

import ib.core.client.IbCore;
import ib.core.client.LocalServices;
import ib.core.spi.DeviceSlot;
import ib.health.Finding;
import ib.health.Finding.Verdict;
import ib.health.FindingSource;
import ib.health.Health;
import ib.health.internal.Examination.BundleState;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The service {@link Health} of this framework. */
@Component
public final class HealthComponent implements Health {
  private final IbCore core;
  private final BundleContext context;

  @Reference(target = LocalServices.ONLY)
  private volatile List<DeviceSlot> slots = List.of();

  @Reference(target = LocalServices.ONLY)
  private volatile List<FindingSource> sources = List.of();

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
    List<Finding> found = sources.stream().flatMap(HealthComponent::find).toList();
    return new Examination(core, slots, bundles, found).findings();
  }

  static Stream<Finding> find(FindingSource source) {
    try {
      return source.find().stream();
    } catch (Throwable e) { // of code that is not ours
      String text = source.getClass().getName() + " cannot look: " + e;
      return Stream.of(new Finding("bundles", Verdict.FAIL, text, "the log"));
    }
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
